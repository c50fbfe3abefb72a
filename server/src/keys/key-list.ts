// Pages of keys. The rows read do not depend on their number: up to `MAX_MATCHES` of a search or filter are read whole;
// if both have more, keys are read in order until the page is full, or ends early after 1,000.
import type { Storage } from '../storage/storage.ts';
import type { KeyPosition, ListedKey } from '../storage/stores/key-list-store.ts';
import { foldForSearch, fromEachWord } from '../storage/stores/key-names.ts';
import type { KeySort, KeyState, KeyStatus, Permission, SortOrder, Tier } from '../vocabulary.ts';
import { fromStored, type Key } from './key.ts';
import { TIERS } from './tiers.ts';

export type KeyFilter = {
  readonly q?: string;
  readonly status?: KeyStatus | undefined;
  readonly state?: KeyState | undefined;
  readonly tier?: Tier | undefined;
  readonly permission?: Permission | undefined;
  readonly ownerId?: string | undefined;
  readonly sort: KeySort;
  readonly order: SortOrder;
  /** `next` of the page before. */
  readonly after?: KeyPosition | undefined;
  readonly limit: number;
};

/** `total` is absent where matches were not counted, `next` where no key follows. */
export type KeysPage = { readonly keys: Key[]; readonly total?: number; readonly next?: KeyPosition };

const MAX_MATCHES = 2_000;
/** The first is enough where one key of eight matches. */
const SCANNED = [400, 1_000];

export class KeyList {
  readonly #storage: Pick<Storage, 'keyList' | 'accounts'>;

  constructor(storage: Pick<Storage, 'keyList' | 'accounts'>) {
    this.#storage = storage;
  }

  async page({ q = '', status, state, tier, permission, ...rest }: KeyFilter, now: Date): Promise<KeysPage> {
    const store = this.#storage.keyList;
    const selected = (await store.facets(now, rest.ownerId)).filter(
      (facet) =>
        // A tier of a newer version: this one cannot say what the key is allowed.
        Object.hasOwn(TIERS, facet.tier) &&
        (status === undefined || (facet.state === 'revoked') === (status === 'revoked')) &&
        (state === undefined || facet.state === state) &&
        (tier === undefined || facet.tier === tier) &&
        (permission === undefined || facet.permissions.includes(permission)),
    );
    if (selected.length === 0) return { keys: [], total: 0 };
    const isWhole = [status, state, tier, permission].every((filter) => filter === undefined);
    const facets = isWhole && rest.ownerId === undefined ? undefined : selected.map(({ facet }) => facet);
    const total = selected.reduce((sum, { keys }) => sum + keys, 0);
    if (q.trim() !== '') return this.#search(q.trim(), { ...rest, facets, selected: total });
    const found = await store.page({ ...rest, facets, limit: rest.limit + 1 });
    return pageOf(found, rest.limit, { total });
  }

  async #search(text: string, selection: Selection): Promise<KeysPage> {
    const store = this.#storage.keyList;
    const wanted = foldForSearch(text);
    const people = await this.#storage.accounts.list();
    const isNamed = (name: string) => fromEachWord(foldForSearch(name)).some((words) => words.startsWith(wanted));
    const search = { text, owners: people.filter(({ name }) => isNamed(name)).map(({ id }) => id) };
    const { limit } = selection;
    const oneMore = { ...selection, limit: limit + 1 };
    if ((await store.countMatches(search, MAX_MATCHES + 1)) <= MAX_MATCHES) {
      const { keys, total } = await store.pageOfMatches(search, oneMore);
      return pageOf(keys, limit, { total });
    }
    if (selection.selected <= MAX_MATCHES) {
      const window = { rows: MAX_MATCHES, isSelected: true };
      return pageOf(await store.scanForMatches(search, oneMore, window), limit, {});
    }
    let found: ListedKey[] = [];
    for (const rows of SCANNED) {
      found = await store.scanForMatches(search, oneMore, { rows, isSelected: false });
      if (found.length > limit) return pageOf(found, limit, {});
    }
    const end = await store.endOf(selection, { rows: Math.max(...SCANNED), isSelected: false });
    return { ...pageOf(found, limit, {}), ...(end === undefined ? {} : { next: end }) };
  }
}

type Selection = Omit<KeyFilter, 'q' | 'status' | 'state' | 'tier' | 'permission'> & {
  readonly facets: readonly string[] | undefined;
  /** Number of keys, before the search. */
  readonly selected: number;
};

/** One key more than the page has was read, to know whether another page follows. */
function pageOf(found: readonly ListedKey[], limit: number, rest: Pick<KeysPage, 'total'>): KeysPage {
  const shown = found.slice(0, limit);
  const next = found.length > limit ? shown.at(-1)?.position : undefined;
  const keys = shown.map(({ key }) => fromStored(key)).filter((key) => key !== undefined);
  return { keys, ...rest, ...(next === undefined ? {} : { next }) };
}
