/** Long random searches, with networks of overrides and enough networks for several steps. */
import { compareSearches } from '../test/compare-searches.ts';

for (const [seed, networks, queries, own] of [
  [1, 40, 1_500, 0],
  [2, 300, 1_500, 0],
  [3, 300, 1_500, 0],
  [4, 2_500, 400, 0],
  [5, 300, 1_500, 30],
  [6, 2_500, 400, 300],
] as const)
  compareSearches(seed, networks, queries, own);
