/** Parameters of the address bar. A value that is not understood is left out. */

/** Reads a value as the router has parsed it. */
type Parameter<Value> = (raw: unknown) => Value | undefined;
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;
type ValuesOf<P extends Parameters> = {
  [Name in keyof P]?: NonNullable<ReturnType<P[Name]>>;
};

export const text: Parameter<string> = (raw) => {
  if (typeof raw === 'number') return String(raw);
  return typeof raw === 'string' && raw !== '' ? raw : undefined;
};

export const oneOf =
  <Choice extends string>(...choices: readonly Choice[]): Parameter<Choice> =>
  (raw) =>
    choices.find((choice) => choice === raw);

/** As a number, which is written without quotation marks. */
export const number: Parameter<number> = (raw) =>
  typeof raw === 'number' && Number.isSafeInteger(raw) ? raw : undefined;

export const day: Parameter<string> = (raw) => {
  const value = text(raw);
  return value !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;
};

export function readParameters<P extends Parameters>(
  parameters: P,
  raw: Readonly<Record<string, unknown>>,
) {
  const values = Object.entries(parameters).map(([name, read]) => [name, read(raw[name])]);
  return withoutEmpty(Object.fromEntries(values)) as ValuesOf<P>;
}

/**
 * For a change of the page that is open: Back leads to the page before it, and the page does not
 * scroll.
 */
export const IN_PLACE = { replace: true, resetScroll: false } as const;

/** An absent or empty parameter does not appear in the address bar. */
export function withoutEmpty<Params extends object>(params: Params): Partial<Params> {
  const entries = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as Partial<Params>;
}
