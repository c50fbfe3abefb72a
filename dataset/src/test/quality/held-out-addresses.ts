// How right the answers are where an operator publishes no list. Such a list is the best label and
// also a source, so each run on one is decided again without all lists of its kind, and compared.

import { flagSourcesOf } from '../../compile/compile.ts';
import type { Attributes } from '../../compile/describe/attributes.ts';
import { describe, type Facts } from '../../compile/describe/describe.ts';
import { describeNetworks, networkStatements } from '../../compile/describe/describe-networks.ts';
import type { CompileInput, Overlay } from '../../compile/input/compile-input.ts';
import { familyLayers } from '../../compile/layers/layers.ts';
import type { Listing } from '../../compile/layers/overlays.ts';
import { type RunGroup, RunGroups } from '../../compile/layers/run-groups.ts';
import { forEachRun } from '../../compile/layers/runs.ts';
import { NetworkTable } from '../../compile/records/network-table.ts';
import { RunFacts } from '../../compile/records/run-facts.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { spaceOf } from '../../prefix.ts';
import type { FlagSources, FlagSubject, Source } from '../../record.ts';
import type { QualityMeasure, QualityRow } from './quality-row.ts';
import { WeightedShare } from './weighted-share.ts';

export function heldOutAddressRows(input: CompileInput): QualityRow[] {
  const networks = new NetworkTable(input, describeNetworks(networkStatements(input)));
  const shares = new HeldOutShares();
  for (const version of [4, 6] as const) {
    const family = familyLayers(input, version);
    const facts = new RunFacts(input, family);
    const outcomes = new Map<number, readonly Outcome[]>();
    const groups = new RunGroups(version, family.sourceOfRoute);
    forEachRun(family, (run, start, end) => {
      if (run.reserved.row >= 0) return;
      const addresses = end - start + 1n;
      const group = groups.list[groups.add(run, addresses)] as RunGroup;
      const network = networks.get(group.asn);
      const outcomesOfRun = getOrInsert(outcomes, facts.key(group, network), () =>
        heldOutOutcomes(facts.of(group, network)),
      );
      shares.visit(version, spaceOf(version, addresses), outcomesOfRun);
    });
  }
  return shares.finish(flagSourcesOf(input));
}

/** What one labelled run adds to one row. */
type Outcome = {
  readonly field: string;
  readonly measure: QualityMeasure;
  /** Whether the run is in the numerator of the share. */
  readonly isCounted: boolean;
  readonly label: Source;
  /** Each source has a row of its own; otherwise all sources share one. */
  readonly isPerSource: boolean;
};

/**
 * Crawlers and services that are known to be good: the operator states that it uses the addresses
 * itself.
 */
const isGood = ({ crawler, drives }: Overlay) =>
  crawler !== undefined || drives.includes('known_good');

const MEDIUM = 25;

type Decide = (without: (overlay: Overlay) => boolean) => Attributes;

/** A list that repeats a label is held out with it. */
const repeats = ({ contains }: Overlay, { id }: Source): boolean => contains?.includes(id) === true;

/** The same for all runs with these facts. */
function heldOutOutcomes(facts: Facts): Outcome[] {
  const { listings } = facts;
  const labels = listings.filter(({ overlay }) => overlay.isTable !== true || isGood(overlay));
  if (labels.length === 0) return [];
  const decide: Decide = (without) =>
    describe({ ...facts, listings: listings.filter(({ overlay }) => !without(overlay)) })
      .attributes;
  return [
    ...countryOutcomes(labels, decide),
    ...cloudOutcomes(labels, decide),
    ...vpnOutcomes(labels, decide),
  ];
}

/**
 * All lists of operators are held out together: a geofeed and a list of regions may be of the same
 * operator.
 */
function countryOutcomes(labels: readonly Listing[], decide: Decide): Outcome[] {
  const located = labels.filter(({ statement }) => statement.country !== undefined);
  if (located.length === 0) return [];
  const { country } = decide(
    (overlay) => overlay.isTable !== true && overlay.drives.includes('country'),
  );
  return located.map(({ overlay: { source }, statement }) => ({
    field: 'country',
    measure: 'accuracy',
    isCounted: country === statement.country,
    label: source,
    isPerSource: true,
  }));
}

function cloudOutcomes(labels: readonly Listing[], decide: Decide): Outcome[] {
  const label = labels.find(({ overlay }) => overlay.drives.includes('cloud_provider'))?.overlay;
  if (label?.provider === undefined) return [];
  const { cloud_provider, connection_type } = decide(
    (overlay) =>
      overlay.isTable !== true &&
      (overlay.drives.includes('cloud_provider') || repeats(overlay, label.source)),
  );
  const row = { label: label.source, isPerSource: false };
  const isCounted = cloud_provider === label.provider;
  return [
    { ...row, field: 'cloud_provider', measure: 'recall', isCounted },
    ...(cloud_provider === undefined
      ? []
      : [{ ...row, field: 'cloud_provider', measure: 'precision', isCounted } as const]),
    {
      ...row,
      field: 'is_datacenter',
      measure: 'recall',
      isCounted: connection_type === 'datacenter',
    },
  ];
}

/**
 * Labels: servers that a VPN service lists itself, and as negatives crawlers and services known to
 * be good.
 */
function vpnOutcomes(labels: readonly Listing[], decide: Decide): Outcome[] {
  const service = labels.find(
    ({ overlay, statement }) =>
      overlay.drives.includes('is_vpn') &&
      overlay.operator !== undefined &&
      overlay.isRelay !== true &&
      statement.neighbours === undefined,
  )?.overlay;
  if (service !== undefined) {
    const { vpn } = decide(
      (overlay) => overlay.operator === service.operator || repeats(overlay, service.source),
    );
    const row = { field: 'is_vpn', label: service.source, isPerSource: false };
    return [
      { ...row, measure: 'recall', isCounted: vpn },
      ...(vpn ? [{ ...row, measure: 'precision', isCounted: true } as const] : []),
    ];
  }
  const good = labels.find(({ overlay }) => isGood(overlay))?.overlay;
  if (good === undefined) return [];
  const { vpn, proxy, tor, threat } = decide(isGood);
  return (
    [
      ['is_vpn', vpn],
      ['is_proxy', proxy],
      ['is_tor_exit', tor],
      ['threat.score', threat.score >= MEDIUM],
    ] as const
  ).flatMap(([field, isFlagged]): Outcome[] => {
    const row = { field, label: good.source, isPerSource: false };
    return [
      { ...row, measure: 'false positives', isCounted: isFlagged },
      ...(field === 'is_vpn' && isFlagged
        ? [{ ...row, measure: 'precision', isCounted: false } as const]
        : []),
    ];
  });
}

type Counted = {
  readonly row: Pick<QualityRow, 'field' | 'measure' | 'unit'>;
  readonly share: WeightedShare;
  readonly sources: Set<string>;
};

class HeldOutShares {
  readonly #counted = new Map<string, Counted>();

  visit(version: 4 | 6, space: number, outcomes: readonly Outcome[]): void {
    for (const { field, measure, isCounted, label, isPerSource } of outcomes) {
      const unit = version === 4 ? 'IPv4 addresses' : 'IPv6 /48s';
      const row = { field, measure, unit };
      const counted = getOrInsert(this.#counted, keyOf(row, isPerSource ? label.id : ''), () => ({
        row,
        share: new WeightedShare(),
        sources: new Set(),
      }));
      counted.sources.add(label.id);
      counted.share.add(isCounted, space);
    }
  }

  /** A flag that no list can set has no false positives, which says nothing. */
  finish(flagSources: FlagSources): QualityRow[] {
    const canBeWrong = ({ field, measure }: Counted['row']) =>
      measure !== 'false positives' ||
      flagSources[field === 'threat.score' ? 'blocklists' : (field as FlagSubject)].from ===
        'feeds';
    return [...this.#counted.values()].flatMap(({ row, share, sources }) => {
      if (!canBeWrong(row)) return [];
      const finished = share.finish();
      if (finished === undefined) return [];
      // Without labels that have the value, precision would be 0 whatever the answers are.
      if (row.measure === 'precision' && !this.#counted.has(keyOf({ ...row, measure: 'recall' })))
        return [];
      return [{ ...row, ...finished, labels: [...sources].sort().join(', ') }];
    });
  }
}

const keyOf = ({ field, measure, unit }: Counted['row'], source = ''): string =>
  `${field} ${measure} ${unit} ${source}`;
