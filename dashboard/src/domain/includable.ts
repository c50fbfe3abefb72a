/** What a check shows on request; in the address bar as `include=transport,networks`. */
export const INCLUDABLE = ['transport', 'networks'] as const;
export type Includable = (typeof INCLUDABLE)[number];

export function parseIncluded(text: string): Includable[] {
  const names = text.split(',');
  return INCLUDABLE.filter((name) => names.includes(name));
}
