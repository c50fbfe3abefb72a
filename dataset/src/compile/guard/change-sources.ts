// Which sources caused a change between two versions. It walks over both, so it runs only after an
// implausible change.

import type { Match } from '../../file/match.ts';
import type { Dataset } from '../../file/read.ts';
import { forEachSegment } from '../../file/segments.ts';
import { spaceOf } from '../../prefix.ts';
import { CRIMINAL_SCORE } from './flagged-access-networks.ts';
import type { ImplausibleChange, Measure } from './result-guard.ts';

/** Space in IPv4 addresses or IPv6 /48s; negative where it was lost. */
export type ChangeSource = { readonly id: string; readonly space: number };

/** For each change its sources, the largest first. A change of the file size has none. */
export function changeSources(
  changes: readonly ImplausibleChange[],
  before: Dataset | undefined,
  after: Dataset,
): ReadonlyMap<ImplausibleChange, readonly ChangeSource[]> {
  const sums = new Map(changes.map((change) => [change, new Map<string, number>()]));
  for (const version of [4, 6] as const) {
    const watched = changes.flatMap((change) => {
      const { measure } = change;
      return 'version' in measure && measure.version === version ? [{ change, measure }] : [];
    });
    if (watched.length === 0) continue;
    const from = before && claimsOf(before, watched);
    const to = claimsOf(after, watched);
    const runs = before === undefined ? [][Symbol.iterator]() : before.runs(version);
    forEachSegment(runs, after.runs(version), (start, end, a, b) => {
      const old = from?.(a) ?? NOTHING;
      const now = to(b);
      watched.forEach(({ change, measure }, i) => {
        const had = old[i] ?? NO_SOURCES;
        const has = now[i] ?? NO_SOURCES;
        if (had.isHeld === has.isHeld) return;
        if (measure.kind === 'access network' && (b === 0 || after.asnNumber(b) !== measure.asn))
          return;
        const space = spaceOf(version, end - start + 1n);
        // A country or registry is lost to the source that names another one; a flag to none.
        const causes =
          has.isHeld || measure.kind === 'country' || measure.kind === 'registry' ? has : had;
        const ids = causes.ids.length > 0 ? causes.ids : had.ids;
        const sum = sums.get(change);
        for (const id of ids) sum?.set(id, (sum.get(id) ?? 0) + (has.isHeld ? space : -space));
      });
    });
  }
  return new Map(
    [...sums].map(([change, sum]) => [
      change,
      [...sum]
        .map(([id, space]) => ({ id, space: Math.round(space) }))
        .sort((a, b) => Math.abs(b.space) - Math.abs(a.space)),
    ]),
  );
}

export function countFlagged(dataset: Dataset | undefined, asn: number, flag: string): number {
  if (dataset === undefined) return 0;
  const claims = claimsOf(dataset, [
    { measure: { kind: 'access network', name: flag, asn, version: 4 } },
  ]);
  let flagged = 0;
  for (const { start, end, match } of dataset.runs(4))
    if (dataset.asnNumber(match) === asn && claims(match)[0]?.isHeld === true)
      flagged += spaceOf(4, end - start + 1n);
  return flagged;
}

/**
 * Whether a run has what is measured, and the sources that decided the field, whether it has it or
 * not.
 */
type Claim = { readonly isHeld: boolean; readonly ids: readonly string[] };

const NO_SOURCES: Claim = { isHeld: false, ids: [] };
const NOTHING: readonly Claim[] = [];

type Watched = { readonly measure: Extract<Measure, { version: number }> };

/** The claims of a dataset, in the order of `watched`; computed once per set of attributes. */
function claimsOf(
  dataset: Dataset,
  watched: readonly Watched[],
): (match: Match) => readonly Claim[] {
  const claims: (readonly Claim[] | undefined)[] = [];
  return (match) => {
    if (match === 0) return NOTHING;
    const set = dataset.attributesOf(match);
    claims[set] ??= watched.map(({ measure }) => claimOf(dataset, set, measure));
    return claims[set];
  };
}

function claimOf(dataset: Dataset, set: number, measure: Watched['measure']): Claim {
  const { country, rir, detection, threat } = dataset.attributes(set);
  const field = fieldOf(measure);
  const deciding = dataset
    .decisions(set)
    .flatMap(([name, source]) => (name === field ? (dataset.meta.sources[source]?.id ?? []) : []));
  // Further rows of a field are contradicting sources; only of the score every row is a cause.
  const ids = field === 'threat.score' ? deciding : deciding.slice(0, 1);
  if (measure.kind === 'answered') return { isHeld: true, ids };
  if (measure.kind === 'country') return { isHeld: country === measure.name, ids };
  if (measure.kind === 'registry') return { isHeld: rir === measure.name, ids };
  const leastScore = measure.kind === 'access network' ? CRIMINAL_SCORE : 1;
  const isHeld =
    measure.name === 'threat'
      ? threat.score >= leastScore
      : (detection as Record<string, unknown>)[measure.name] === true;
  return { isHeld, ids };
}

function fieldOf(measure: Watched['measure']): string {
  if (measure.kind === 'answered') return 'prefix';
  if (measure.kind === 'country') return 'country';
  if (measure.kind === 'registry') return 'rir';
  if (measure.name === 'threat') return 'threat.score';
  return ['is_datacenter', 'is_residential', 'is_mobile'].includes(measure.name)
    ? 'connection_type'
    : measure.name;
}
