/** Lists of an import as rows of a statement: one parameter for thousands of rows. */
import { type RawBuilder, sql } from 'kysely';

/** Elements of a JSON list as rows, and what they have at an index, in the words of an engine. */
export type Words = {
  each(list: string): RawBuilder<unknown>;
  readonly text: RawBuilder<unknown>;
  textAt(index: number): RawBuilder<unknown>;
  numberAt(index: number): RawBuilder<unknown>;
  /** The values of a group, a line each. */
  lines(value: RawBuilder<unknown>): RawBuilder<string>;
};

const textAt = (index: number) => sql`(value ->> ${sql.lit(index)})`;
const numberAt = (index: number) => sql`cast(value ->> ${sql.lit(index)} as bigint)`;
export const SQLITE: Words = {
  each: (list) => sql`json_each(${list})`,
  text: sql`value`,
  textAt,
  numberAt,
  lines: (value) => sql`group_concat(${value}, char(10))`,
};
export const POSTGRES: Words = {
  each: (list) => sql`json_array_elements(cast(${list} as json)) as element (value)`,
  text: sql`value #>> '{}'`,
  textAt,
  numberAt,
  lines: (value) => sql`string_agg(${value}, chr(10))`,
};
