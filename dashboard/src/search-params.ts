/** Reads and writes the parameters of the address bar. Values that are not understood are left out. */
type RawParams = Readonly<Record<string, unknown>>;

export function textParam(raw: RawParams, name: string): string | undefined {
  const value = raw[name];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function choiceParam<Choice extends string>(
  raw: RawParams,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = raw[name];
  return choices.find((choice) => choice === value);
}

/** As a number, which is written without quotation marks. */
export function numberParam(raw: RawParams, name: string): number | undefined {
  const value = raw[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

export function dayParam(raw: RawParams, name: string): string | undefined {
  const value = textParam(raw, name);
  return value !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;
}

/** An absent or empty parameter does not appear in the address bar. */
export function withoutEmpty<Params extends object>(params: Params): Partial<Params> {
  const entries = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as Partial<Params>;
}
