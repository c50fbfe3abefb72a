/** What registries have answered, by subject, until it is too old. A cache: its rows may be removed at any time. */
import type { Db } from '../schema.ts';

export type StoredRegistration = { readonly content: string; readonly fetchedAtMs: number };

/** More than are saved at a time, so that the table does not grow. */
const REMOVED_PER_SAVE = 50;

export function registrationStore(db: Db) {
  return {
    async find(subject: string): Promise<StoredRegistration | undefined> {
      const row = await db
        .selectFrom('registrations')
        .select(['content', 'fetched_at'])
        .where('subject', '=', subject)
        .executeTakeFirst();
      return row && { content: row.content, fetchedAtMs: row.fetched_at };
    },
    /** Also removes some rows older than `expiredMs`, but not bootstrap files: they are used while IANA is away. */
    async save(subject: string, { content, fetchedAtMs }: StoredRegistration, expiredMs: number): Promise<void> {
      const row = { content, fetched_at: fetchedAtMs };
      await db
        .insertInto('registrations')
        .values({ subject, ...row })
        .onConflict((conflict) => conflict.column('subject').doUpdateSet(row))
        .execute();
      await db
        .deleteFrom('registrations')
        .where('subject', 'in', (eb) =>
          eb
            .selectFrom('registrations')
            .select('subject')
            .where('fetched_at', '<', expiredMs)
            .where('subject', 'not like', 'bootstrap %')
            .limit(REMOVED_PER_SAVE),
        )
        .execute();
    },
  };
}

export type RegistrationStore = ReturnType<typeof registrationStore>;
