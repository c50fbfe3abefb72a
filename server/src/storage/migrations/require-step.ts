/** For a step that takes away what programs before `step` use: they refuse the database from then on. */
import type { Kysely } from 'kysely';
import { sql } from '../kysely.ts';

export async function requireStep(db: Kysely<unknown>, step: string): Promise<void> {
  await sql`update compatibility set oldest_program = ${step}`.execute(db);
}
