/** What is left to do after an installation, for people who can create keys: undefined when nothing is. */

import type { Account } from '../../accounts/account.ts';
import { usageIdOf } from '../../admission/admission.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import type { Storage } from '../../storage/storage.ts';
import { mayDo } from '../../vocabulary.ts';
import type { VisibleKeys } from '../keys/visible-keys.ts';
import type { FirstRun } from '../wire/usage.ts';

type FirstRunSources = {
  readonly storage: Pick<Storage, 'usage'>;
  readonly visible: VisibleKeys;
  readonly served: ServedDataset | undefined;
};

export async function firstRunOf(
  account: Account,
  { storage, visible, served }: FirstRunSources,
  now: Date,
): Promise<FirstRun | undefined> {
  if (!mayDo(account.role, 'member')) return undefined;
  const has_live_data = Object.values(served?.dataset.meta.flag_sources ?? {}).some(({ from }) => from === 'feeds');
  const [lookups, lastUsed] = await Promise.all([
    storage.usage.ofKey(usageIdOf(account.id)),
    visible.page(account, { sort: 'last_used_at', order: 'desc', limit: 1 }, now),
  ]);
  const has_looked_up = lookups.length > 0;
  const has_used_key = lastUsed.keys.some(({ last_used_at }) => last_used_at !== undefined);
  if (has_looked_up && has_used_key && has_live_data) return undefined;
  return { has_looked_up, has_used_key, has_live_data };
}
