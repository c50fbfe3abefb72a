/** Rows as the program has them: camelCase, dates for columns named `at`, and absent for null. */
import type { Insertable, Selectable } from 'kysely';
import type { Schema } from './schema.ts';

type Row<Table extends keyof Schema> = Selectable<Schema[Table]>;
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;
type ValueOf<Name, Value> = Name extends 'at' | `${string}_at` ? Date : NonNullable<Value>;
type NullIn<R> = { [Name in keyof R]: null extends R[Name] ? Name : never }[keyof R];
type Renamed<R, Names extends keyof R> = {
  readonly [Name in Names & string as CamelCase<Name>]: ValueOf<Name, R[Name]>;
};

export type Stored<Table extends keyof Schema> = Renamed<
  Row<Table>,
  Exclude<keyof Row<Table>, NullIn<Row<Table>>>
> &
  Partial<Renamed<Row<Table>, NullIn<Row<Table>>>>;

/** By column. Lists have thousands of rows with the same columns. */
const names = new Map<string, { readonly name: string; readonly isTime: boolean }>();

function nameOf(column: string) {
  let property = names.get(column);
  if (property === undefined) {
    const name = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    property = { name, isTime: /(^|_)at$/.test(column) };
    names.set(column, property);
  }
  return property;
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function fromRow<Table extends keyof Schema>(row: Row<Table>): Stored<Table> {
  return copyColumns(row, NONE) as Stored<Table>;
}

export async function findFirst<Table extends keyof Schema>(query: {
  executeTakeFirst(): Promise<Row<Table> | undefined>;
}): Promise<Stored<Table> | undefined> {
  const row = await query.executeTakeFirst();
  return row && fromRow<Table>(row);
}

export async function findAll<Table extends keyof Schema>(query: {
  execute(): Promise<Row<Table>[]>;
}): Promise<Stored<Table>[]> {
  return (await query.execute()).map(fromRow<Table>);
}

const NONE: ReadonlySet<string> = new Set();

export function copyColumns(row: object, omitted: ReadonlySet<string>): Record<string, unknown> {
  const stored: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    if (value === null || omitted.has(column)) continue;
    const { name, isTime } = nameOf(column);
    stored[name] = isTime ? new Date(value as number) : value;
  }
  return stored;
}

export function toRow<Table extends keyof Schema>(
  stored: Stored<Table>,
): Insertable<Schema[Table]> {
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [
      snakeCase(name),
      value instanceof Date ? value.getTime() : value,
    ]),
  ) as Insertable<Schema[Table]>;
}
