/**
 * Texts as every engine stores them. PostgreSQL refuses U+0000, which callers would take for an
 * outage, and the driver of SQLite ends a text there, so that `admin\0x` would be `admin`. pg
 * replaces unpaired surrogates in the same way.
 */
export const textParameters = (parameters: readonly unknown[]): readonly unknown[] =>
  parameters.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value));
