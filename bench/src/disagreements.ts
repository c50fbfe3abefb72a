/**
 * Where sources in the current dataset disagree, the largest first: by addresses, which is what lookups meet, and by
 * prefixes, which is what a person who corrects tables meets. Nothing is measured against the truth; a contradiction is
 * where to look. Country: from the evidence, which has what other sources say. Registry: of the addresses and of the AS
 * number. Type: what decided, and what the table of networks and the rules on names say.
 */
import { openCurrent } from '@whence/dataset/publish';
import type { Dataset } from '@whence/dataset/read';
import { rirOfAsn } from '../../dataset/dist/rir.js';
import { roleByName } from '../../dataset/dist/tables/name-rules.js';
import { networkByHand } from '../../dataset/dist/tables/networks.js';
import { printable } from '../../server/dist/terminal/printable.js';
import { formatCount, formatTable } from '../../server/dist/terminal/table.js';

const LISTED = 25;
const SUBJECTS = ['country', 'registry', 'type'] as const;
type Subject = (typeof SUBJECTS)[number];

type Disagreement = {
  readonly asn: number;
  readonly answer: string;
  readonly other: string;
  addresses: number;
  prefixes: number;
};

export async function disagreements(): Promise<void> {
  const dataset = openCurrent(process.env['WHENCE_DATA_DIR'] ?? './whence-data');
  if (dataset === undefined) throw new Error('there is no dataset; build one with: npm run dataset');
  const { found, announced } = collect(dataset);
  for (const subject of SUBJECTS) {
    const rows = [...found[subject].values()];
    const addresses = rows.reduce((sum, row) => sum + row.addresses, 0);
    const prefixes = rows.reduce((sum, row) => sum + row.prefixes, 0);
    const share = ((100 * addresses) / announced).toFixed(2);
    console.log(`\n${subject}: ${formatCount(addresses)} IPv4 addresses (${share} %), ${formatCount(prefixes)} runs`);
    for (const by of ['addresses', 'prefixes'] as const) {
      const largest = rows.sort((a, b) => b[by] - a[by]).slice(0, LISTED);
      const cells = largest.map(({ asn, answer, other, ...row }) => [
        formatCount(row.addresses).padStart(11),
        formatCount(row.prefixes).padStart(7),
        `AS${asn}`,
        answer,
        other,
        nameOf(dataset, asn),
      ]);
      console.log(`\nmost ${by}`);
      console.log(formatTable([['IPv4', 'runs', 'network', 'answer', 'another source', 'name'], ...cells]));
    }
  }
}

/** Runs of both families; addresses of IPv4 only. A run of two sources that contradict the answer counts for each. */
function collect(dataset: Dataset): { found: Record<Subject, Map<string, Disagreement>>; announced: number } {
  const found = { country: new Map(), registry: new Map(), type: new Map() };
  const contradictions = new Map<number, readonly (readonly [Subject, string, string])[]>();
  let announced = 0;
  for (const version of [4, 6] as const) {
    for (const { start, end, match } of dataset.runs(version)) {
      if (match === 0) continue;
      const asn = dataset.asnNumber(match);
      const tail = dataset.tailOf(match);
      const addresses = version === 4 ? Number(end - start + 1n) : 0;
      announced += addresses;
      // About 100,000 records share the answers below.
      const key = tail * 2 ** 32 + asn;
      let said = contradictions.get(key);
      if (said === undefined) {
        said = contradictionsOf(dataset, tail, asn);
        contradictions.set(key, said);
      }
      for (const [subject, answer, other] of said) {
        const id = `${asn} ${answer} ${other}`;
        const row: Disagreement = found[subject].get(id) ?? { asn, answer, other, addresses: 0, prefixes: 0 };
        row.addresses += addresses;
        row.prefixes++;
        found[subject].set(id, row);
      }
    }
  }
  return { found, announced };
}

function contradictionsOf(dataset: Dataset, tail: number, asn: number): [Subject, string, string][] {
  const { country, rir, connection_type } = dataset.tail(tail);
  const decisions = dataset.decisions(tail);
  const sourceOf = (field: string) => {
    const source = decisions.find(([name]) => name === field)?.[1];
    return source === undefined ? 'default' : (dataset.meta.sources[source]?.id ?? '');
  };
  const said: [Subject, string, string][] = [];
  for (const [field, source, stated] of decisions)
    if (field === 'country' && typeof stated === 'string' && stated !== country)
      said.push(['country', `${country} ${sourceOf('country')}`, `${stated} ${dataset.meta.sources[source]?.id}`]);
  const registry = rirOfAsn(asn);
  if (registry !== undefined && registry !== rir)
    said.push(['registry', `${rir} ${sourceOf('rir')}`, `${registry} of the AS number`]);
  const { asn_name, handle } = recordOf(dataset, asn);
  for (const [type, source] of [
    [networkByHand(asn)?.role, 'networks'],
    [roleByName(asn_name, handle)?.role, 'name-rules'],
  ] as const)
    if (type !== undefined && type !== connection_type)
      said.push(['type', `${connection_type} ${sourceOf('connection_type')}`, `${type} ${source}`]);
  return said;
}

type Named = { readonly asn_name: string; readonly handle?: string };
const records = new WeakMap<Dataset, Map<number, Named>>();

function recordOf(dataset: Dataset, asn: number): Named {
  let byAsn = records.get(dataset);
  if (byAsn === undefined) {
    byAsn = new Map(
      Array.from({ length: dataset.asnCount }, (_, row) => [dataset.asnNumberAt(row), dataset.asnAt(row)]),
    );
    records.set(dataset, byAsn);
  }
  return byAsn.get(asn) ?? { asn_name: '' };
}

const nameOf = (dataset: Dataset, asn: number) => printable(recordOf(dataset, asn).asn_name).slice(0, 50);
