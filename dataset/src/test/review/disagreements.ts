/**
 * Where the sources of a dataset contradict its answers. Nothing is compared with the truth: a
 * contradiction shows where to look. Country: what other sources say, from the evidence. Registry:
 * that of the addresses and that of the AS number. Connection type: what decided, and what the
 * table of networks and the rules on names say.
 */
import { roleByName } from '../../compile/describe/connection.ts';
import { labelledNetworks } from '../../data-files/data-files.ts';
import { rirOfAsn } from '../../data-files/rir.ts';
import type { Dataset } from '../../file/read.ts';

export const DISPUTED_FIELDS = ['country', 'rir', 'connection_type'] as const;
type DisputedField = (typeof DISPUTED_FIELDS)[number];

type Statement = { readonly value: string; readonly source: string };

export type Disagreement = {
  readonly asn: number;
  readonly asn_name: string;
  readonly answer: Statement;
  readonly other: Statement;
  readonly ipv4_addresses: number;
  /** Ranges of addresses with the same record, of both families. */
  readonly ranges: number;
  /**
   * For a connection type: the row of the network in the repository, or the line after which one is
   * added.
   */
  readonly row?: { readonly file: string; readonly line: number; readonly exists: boolean };
};

type FieldDisagreements = {
  readonly ipv4_addresses: number;
  readonly ranges: number;
  /** The largest by addresses, which is what lookups meet. */
  readonly by_addresses: readonly Disagreement[];
  /** The largest by ranges, which is what a person who corrects tables meets. */
  readonly by_ranges: readonly Disagreement[];
};

export type Disagreements = {
  readonly version: number;
  /** All announced IPv4 addresses. */
  readonly ipv4_addresses: number;
  readonly fields: Readonly<Record<DisputedField, FieldDisagreements>>;
};

type Contradiction = {
  readonly field: DisputedField;
  readonly answer: Statement;
  readonly other: Statement;
};
type Count = Contradiction & { readonly asn: number; addresses: number; ranges: number };

/**
 * At most `limit` entries per list. A range that two sources contradict counts for each of them.
 */
export function findDisagreements(dataset: Dataset, limit: number): Disagreements {
  const names = networkNames(dataset);
  const { counts, announced } = countContradictions(dataset, names);
  const fields = DISPUTED_FIELDS.map((field) => {
    const rows = [...counts.values()].filter((count) => count.field === field);
    const largest = (by: 'addresses' | 'ranges') =>
      [...rows]
        .sort((a, b) => b[by] - a[by])
        .slice(0, limit)
        .map(({ asn, answer, other, addresses, ranges }) => {
          const { asn_name } = names.get(asn) ?? NO_NAME;
          const found = { asn, asn_name, answer, other, ipv4_addresses: addresses, ranges };
          return field === 'connection_type' ? { ...found, row: rowOf(asn) } : found;
        });
    const sum = (of: 'addresses' | 'ranges') => rows.reduce((total, row) => total + row[of], 0);
    const found: FieldDisagreements = {
      ipv4_addresses: sum('addresses'),
      ranges: sum('ranges'),
      by_addresses: largest('addresses'),
      by_ranges: largest('ranges'),
    };
    return [field, found] as const;
  });
  // An entry for every field, hence the cast.
  const byField = Object.fromEntries(fields) as Disagreements['fields'];
  return { version: dataset.meta.version, ipv4_addresses: announced, fields: byField };
}

const rowOf = (asn: number): NonNullable<Disagreement['row']> => ({
  file: labelledNetworks.path,
  line: labelledNetworks.lineOf(asn),
  exists: labelledNetworks.find(asn) !== undefined,
});

function countContradictions(
  dataset: Dataset,
  names: Names,
): { counts: Map<string, Count>; announced: number } {
  const counts = new Map<string, Count>();
  const contradictions = new Map<number, readonly Contradiction[]>();
  let announced = 0;
  for (const version of [4, 6] as const) {
    for (const { start, end, match } of dataset.runs(version)) {
      if (match === 0) continue;
      const asn = dataset.asnNumber(match);
      const attributes = dataset.attributesOf(match);
      const addresses = version === 4 ? Number(end - start + 1n) : 0;
      announced += addresses;
      // Many ranges share a record and a network: their contradictions are looked up once.
      const key = attributes * 2 ** 32 + asn;
      let found = contradictions.get(key);
      if (found === undefined) {
        found = contradictionsOf(dataset, attributes, asn, names.get(asn) ?? NO_NAME);
        contradictions.set(key, found);
      }
      for (const contradiction of found) {
        const { field, answer, other } = contradiction;
        const id = [asn, field, answer.value, answer.source, other.value, other.source].join(' ');
        const count = counts.get(id) ?? { ...contradiction, asn, addresses: 0, ranges: 0 };
        count.addresses += addresses;
        count.ranges++;
        counts.set(id, count);
      }
    }
  }
  return { counts, announced };
}

function contradictionsOf(
  dataset: Dataset,
  attributes: number,
  asn: number,
  { asn_name, handle }: Name,
): Contradiction[] {
  const answers = dataset.attributes(attributes);
  const decisions = dataset.decisions(attributes);
  const sourceId = (source: number) => dataset.meta.sources[source]?.id ?? '';
  const answerOf = (field: DisputedField): Statement => {
    const decision = decisions.find(([name]) => name === field);
    return {
      value: answers[field] ?? '',
      source: decision === undefined ? 'default' : sourceId(decision[1]),
    };
  };
  const found: Contradiction[] = [];
  const compare = (field: DisputedField, value: unknown, source: string) => {
    if (typeof value === 'string' && value !== answers[field])
      found.push({ field, answer: answerOf(field), other: { value, source } });
  };
  for (const [field, source, value] of decisions)
    if (field === 'country') compare('country', value, sourceId(source));
  compare('rir', rirOfAsn(asn), 'as-number');
  compare('connection_type', labelledNetworks.find(asn)?.connection_type, 'networks');
  compare('connection_type', roleByName(asn_name, handle)?.role, 'name-rules');
  return found;
}

type Name = { readonly asn_name: string; readonly handle?: string };
type Names = ReadonlyMap<number, Name>;
const NO_NAME: Name = { asn_name: '' };

function networkNames(dataset: Dataset): Names {
  return new Map(
    Array.from({ length: dataset.networks.count }, (_, row) => [
      dataset.networks.numberAt(row),
      dataset.networks.at(row),
    ]),
  );
}
