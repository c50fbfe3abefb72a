/** Whether an administrator wants every server to fetch the feeds once a day. */
import type { Db } from '../schema.ts';

const ROW = 1;

export function updateChoiceStore(db: Db) {
  return {
    /** Undefined until an administrator decides. */
    async isDaily(): Promise<boolean | undefined> {
      const row = await db.selectFrom('update_choice').select('is_daily').executeTakeFirst();
      return row && row.is_daily === 1;
    },
    async decide(isDaily: boolean, by: string, now: Date): Promise<void> {
      const choice = { is_daily: Number(isDaily), decided_at: now.getTime(), decided_by: by };
      await db
        .insertInto('update_choice')
        .values({ id: ROW, ...choice })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(choice))
        .execute();
    },
  };
}

export type UpdateChoiceStore = ReturnType<typeof updateChoiceStore>;
