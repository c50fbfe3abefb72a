/** Pages of keys, as the dashboard lists them. */
import type { KeyListStore, KeyPosition, KeySelection } from '../storage/stores/key-list-store.ts';
import type { Permission, Tier } from '../vocabulary.ts';
import { fromStored, type Key } from './key.ts';
import { TIERS } from './tiers.ts';

export type KeyFilter = Omit<KeySelection, 'tiers' | 'permission'> & {
  readonly tier?: Tier | undefined;
  readonly permission?: Permission | undefined;
};

/** `total` is the number of keys on all pages; `next` is absent on the last one. */
type KeysPage = {
  readonly keys: Key[];
  readonly total: number;
  readonly next?: KeyPosition;
};

export async function listKeys(
  store: Pick<KeyListStore, 'page'>,
  { q = '', tier, limit, ...filter }: KeyFilter,
  now: Date,
): Promise<KeysPage> {
  // A tier of a newer version is left out: this one cannot say what the key is allowed.
  const tiers = tier === undefined ? Object.keys(TIERS) : [tier];
  // One more than the page has, to know whether another page follows.
  const selection = { ...filter, q: q.trim(), tiers, limit: limit + 1 };
  const { keys, total } = await store.page(selection, now);
  const shown = keys.slice(0, limit);
  const next = keys.length > limit ? shown.at(-1)?.position : undefined;
  return {
    keys: shown.map(({ key }) => fromStored(key)).filter((key) => key !== undefined),
    total,
    ...(next === undefined ? {} : { next }),
  };
}
