type Optional<T> = { [Name in keyof T]: undefined extends T[Name] ? Name : never }[keyof T];

/**
 * `value` without its properties that are undefined: with `exactOptionalPropertyTypes`, optional
 * means absent.
 */
export function present<T extends object>(
  value: T,
): Omit<T, Optional<T>> & { [Name in Optional<T>]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as ReturnType<typeof present<T>>;
}
