/** A record as a line of a zone file (RFC 1035 §5.1), to be pasted as it is. */

/** `name` and `exchange` without a final dot; bytes of `text` are Latin-1 characters. */
export type ProposedRecord =
  | { readonly name: string; readonly type: 'TXT'; readonly text: string }
  | {
      readonly name: string;
      readonly type: 'MX';
      readonly preference: number;
      readonly exchange: string;
    };

export function zoneFileLine(record: ProposedRecord): string {
  const owner = `${fullName(record.name)} IN ${record.type}`;
  if (record.type === 'MX') return `${owner} ${record.preference} ${fullName(record.exchange)}`;
  return `${owner} ${stringsOf(record.text).map(quoted).join(' ')}`;
}

/** Without the final dot a zone file adds the name of the zone: `example.com.example.com`. */
function fullName(name: string): string {
  return name.endsWith('.') ? name : `${name}.`;
}

/** RFC 1035 §3.3: a string holds at most 255 bytes; receivers join the strings of a record. */
export function stringsOf(text: string): string[] {
  return text.match(/.{1,255}/gs) ?? [''];
}

/** `\"` is a character as it is, `\232` a byte. */
function quoted(text: string): string {
  const byteOf = (character: string) => String(character.charCodeAt(0) & 0xff).padStart(3, '0');
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replace(/[^\x20-\x7e]/g, (character) => `\\${byteOf(character)}`);
  return `"${escaped}"`;
}
