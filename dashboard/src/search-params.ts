/** Reads parameters of the address bar, where anything may stand. What is not understood is left out. */
type Raw = Readonly<Record<string, unknown>>;

export function textParam(raw: Raw, name: string): string | undefined {
  const value = raw[name];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function choiceParam<Choice extends string>(
  raw: Raw,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = raw[name];
  return choices.find((choice) => choice === value);
}

export function dayParam(raw: Raw, name: string): string | undefined {
  const value = textParam(raw, name);
  return value !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;
}

/** Only what is there: an absent parameter does not appear in the address bar. */
export function present<Params extends Record<string, unknown>>(params: Params): Partial<Params> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Partial<Params>;
}
