/** What decided a connection type: how much it is worth depends on that. `assumed` business means unknown. */

import type { Match } from '../file/format.ts';
import type { Dataset } from '../file/read.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { TYPE_SIGNALS } from '../record.ts';

/** A table, a list or the operator's overrides; a rule on names; the sum of weak signals; nothing. */
export const TYPE_SOURCES = ['table', 'rule', 'signals', 'assumed'] as const;
export type TypeSource = (typeof TYPE_SOURCES)[number];

/** Decoding a list of decisions takes longer than a lookup, and many records share one. */
const knownBy = new WeakMap<Dataset, (TypeSource | undefined)[]>();

export function typeSourceOf(dataset: Dataset, match: Match): TypeSource {
  const known = getOrInsert(knownBy, dataset, () => []);
  const set = dataset.attributesOf(match);
  known[set] ??= decide(dataset, set);
  return known[set];
}

function decide(dataset: Dataset, set: number): TypeSource {
  const decisions = dataset.decisions(set);
  const deciding = decisions.find(([field]) => field === 'connection_type')?.[1];
  const id = deciding === undefined ? '' : dataset.meta.sources[deciding]?.id;
  const signal = decisions.find(([field]) => field === 'type_signal')?.[2];
  // Also of the operator's own networks that have no type.
  if (signal === TYPE_SIGNALS.assumed) return 'assumed';
  if (id === 'name-rules') return 'rule';
  return id === 'type-signals' ? 'signals' : 'table';
}
