/**
 * A cell of CSV. RFC 4180 §2: quoted if it contains the delimiter, a quote or a line break.
 *
 * Spreadsheets evaluate text that begins like a formula (CWE-1236), and names of networks, domains
 * and keys are chosen by others: an apostrophe before it keeps it text. A negative number is no
 * formula.
 */
export function csvCell(value: string | number, delimiter = ','): string {
  const text = String(value);
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^-[0-9]+(\.[0-9]+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return safe.includes(delimiter) || /["\r\n]/.test(safe)
    ? `"${safe.replaceAll('"', '""')}"`
    : safe;
}
