/**
 * Answers of the current dataset held against public lists that are no source of the embedded default: operators' lists
 * of where their addresses are used, a registry's file, networks as their operators describe them, lists of hosting
 * networks, routes of another year. A list that the dataset was built from is named and left out: agreeing with it says
 * nothing. `--errors` lists the largest differences.
 */
import { readFileSync } from 'node:fs';
import { openCurrent } from '@whence/dataset/publish';
import type { Dataset } from '@whence/dataset/read';
import { NO_FIXTURES } from '@whence/testing/fixtures';
import { networkByHand } from '../../dataset/dist/tables/networks.js';
import { printable } from '../../server/dist/terminal/printable.js';
import { formatCount } from '../../server/dist/terminal/table.js';
import { compareRanges, countAnswered, type Tally } from './accuracy/compare-ranges.ts';
import { countryLabels, type LabelledRanges, type Labels, listOf, readLabels } from './accuracy/labels.ts';
import { formatRows, type Row, say } from './report.ts';

const GOALS = { macroRecall: 78, datacenterRecall: 75, homeFlagged: 0.2, liveIpv6Answered: 97 };
const LISTED_ERRORS = 25;
/** Country lists of operators; AWS and Azure are partly in the embedded default and are shown apart. */
const OPERATORS = ['geofeed-linode', 'geofeed-digitalocean', 'gcp', 'oracle', 'aws', 'azure'] as const;
const TYPES = ['residential', 'datacenter', 'education', 'business'] as const;

export async function accuracy(args: readonly string[] = []): Promise<void> {
  const dataset = openCurrent(process.env['WHENCE_DATA_DIR'] ?? './whence-data');
  if (dataset === undefined) throw new Error('there is no dataset; build one with: npm run dataset');
  const labels = readLabels();
  if (labels === undefined) {
    say(`nothing to compare with: ${NO_FIXTURES}; set WHENCE_FIXTURES to the folder of feed files`);
    return;
  }
  const used = new Set(dataset.meta.sources.map(({ id }) => id));
  const isUsed = (id: string) => used.has(id);
  const rows: Row[] = [];
  const errors: string[] = [];
  for (const id of OPERATORS) {
    if (isUsed(id)) {
      say(`${id} is a source of this dataset and is left out`);
      continue;
    }
    const tally = compareRanges(dataset, countryLabels(labels, id), ({ country }) => country);
    rows.push(...tallyRows(`country, ${id}`, tally));
    errors.push(...errorLines(dataset, `country, ${id}`, tally));
  }
  if (!isUsed('delegated-afrinic')) {
    const tally = compareRanges(dataset, registryLabels(labels), ({ rir }) => rir);
    rows.push(...tallyRows('registry, AFRINIC', tally));
    errors.push(...errorLines(dataset, 'registry, AFRINIC', tally));
  }
  const described = isUsed('peeringdb') ? [] : [...listOf(labels, 'peeringdb', 'networks').networks];
  rows.push(...typeRows(dataset, described, errors));
  rows.push(...hostingRows(dataset, labels, isUsed, errors));
  rows.push(homeRow(dataset), ipv6Row(dataset, labels, isUsed('ris-v6')));
  say(formatRows(rows));
  if (args.includes('--errors')) say(`\n${errors.join('\n')}`);
}

function tallyRows(measure: string, { addresses, prefixes }: Tally): Row[] {
  return [
    shareRow(`${measure}, by address`, addresses.right, addresses.all),
    shareRow(`${measure}, by prefix`, prefixes.right, prefixes.all),
  ];
}

function shareRow(measure: string, part: number, all: number, goal?: number): Row {
  const share = all === 0 ? 0 : (100 * part) / all;
  const goals = goal === undefined ? {} : { goal: `≥ ${goal} %`, isReached: share >= goal };
  return { measure, ours: `${share.toFixed(1)} %`, peer: `of ${formatCount(all)}`, ...goals };
}

function errorLines(dataset: Dataset, measure: string, { errors }: Tally): string[] {
  const largest = [...errors].sort(([, a], [, b]) => b - a).slice(0, LISTED_ERRORS);
  return largest.map(([key, addresses]) => {
    const [asn, wanted, answer] = key.split(' ');
    return `${measure}: AS${asn} ${nameOf(dataset, Number(asn))}: ${answer}, by the list ${wanted}, ${formatCount(addresses)} addresses`;
  });
}

/** Recall per type, and their mean: each type counts the same, however many networks it has. */
function typeRows(
  dataset: Dataset,
  described: readonly (readonly [asn: number, { readonly role?: string }])[],
  errors: string[],
): Row[] {
  const recalls: number[] = [];
  const rows: Row[] = [];
  let homesFlagged = 0;
  let homes = 0;
  for (const type of TYPES) {
    const networks = described
      .filter(([asn, { role }]) => role === type && dataset.asn(asn)?.is_announced === true)
      .map(([asn]) => asn);
    if (networks.length === 0) continue;
    // Phones are at home too: PeeringDB has no type for mobile carriers.
    const isRight = (answer: string | undefined) => answer === type || (type === 'residential' && answer === 'mobile');
    const right = networks.filter((asn) => isRight(dataset.asn(asn)?.connection_type));
    recalls.push(right.length / networks.length);
    rows.push(shareRow(`type by PeeringDB, ${type}`, right.length, networks.length));
    if (type === 'residential') {
      homes = networks.length;
      homesFlagged = networks.filter((asn) => dataset.asn(asn)?.connection_type === 'datacenter').length;
    }
    for (const asn of networks)
      if (!right.includes(asn))
        errors.push(
          `type: AS${asn} ${nameOf(dataset, asn)}: ${dataset.asn(asn)?.connection_type}, by PeeringDB ${type}`,
        );
  }
  if (recalls.length === 0) return [];
  const mean = recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
  return [
    ...rows,
    shareRow('type by PeeringDB, macro recall', mean * 1000, 1000, GOALS.macroRecall),
    { ...shareRow('home networks by PeeringDB that are datacenters', homesFlagged, homes), goal: '0' },
  ];
}

/** Recall by network of lists of hosting networks. The table of networks was written with these lists at hand. */
function hostingRows(dataset: Dataset, labels: Labels, isUsed: (id: string) => boolean, errors: string[]): Row[] {
  const lists = [
    ['bad-asn', [...listOf(labels, 'bad-asn', 'networks').networks.keys()]],
    ['x4b-datacenter ASN', numbersIn(labels.path('hosting/x4bnet-datacenter-ASN.txt'))],
  ] as const;
  return lists.flatMap(([id, asns]) => {
    if (isUsed(id)) return [];
    const announced = asns.filter((asn) => dataset.asn(asn)?.is_announced === true);
    const missed = announced.filter((asn) => dataset.asn(asn)?.connection_type !== 'datacenter');
    for (const asn of missed.slice(0, LISTED_ERRORS))
      errors.push(`hosting: AS${asn} ${nameOf(dataset, asn)}: ${dataset.asn(asn)?.connection_type}, listed by ${id}`);
    const right = announced.length - missed.length;
    return shareRow(`datacenter recall by network, ${id}`, right, announced.length, GOALS.datacenterRecall);
  });
}

/** Addresses of networks that the table calls homes or phones, with a flag that only servers and relays should have. */
function homeRow(dataset: Dataset): Row {
  let [flagged, all] = [0, 0];
  const isFlagged = new Map<number, boolean>();
  const isHome = new Map<number, boolean>();
  for (const { start, end, match } of dataset.runs(4)) {
    const asn = dataset.asnNumber(match);
    const home = isHome.get(asn) ?? ['residential', 'mobile'].includes(networkByHand(asn)?.role ?? '');
    isHome.set(asn, home);
    if (!home) continue;
    const tail = dataset.tailOf(match);
    const { is_datacenter, is_vpn } = isFlagged.has(tail) ? {} : dataset.tail(tail).detection;
    const bad = isFlagged.get(tail) ?? (is_datacenter === true || is_vpn === true);
    isFlagged.set(tail, bad);
    const size = Number(end - start + 1n);
    all += size;
    if (bad) flagged += size;
  }
  const share = (100 * flagged) / Math.max(1, all);
  return {
    measure: 'home addresses flagged as VPN or datacenter',
    ours: `${share.toFixed(3)} %`,
    peer: `of ${formatCount(all)}`,
    goal: `≤ ${GOALS.homeFlagged} %`,
    isReached: share <= GOALS.homeFlagged,
  };
}

/** Prefixes that most peers of RIS saw. Those that are no longer routed cannot be answered without them. */
function ipv6Row(dataset: Dataset, labels: Labels, isSource: boolean): Row {
  const { ranges } = listOf(labels, 'ris-v6', 'routes');
  const [answered, all] = [countAnswered(dataset, 6, ranges[6].starts), ranges[6].length];
  const measure = isSource ? 'IPv6 prefixes of RIS answered' : 'IPv6 prefixes of RIS (2019) answered';
  return shareRow(measure, answered, all, isSource ? GOALS.liveIpv6Answered : undefined);
}

function registryLabels(labels: Labels): LabelledRanges {
  const { ranges, holders } = listOf(labels, 'delegated-afrinic', 'delegations');
  return { ranges, labels: holders.map(({ rir, country }) => (country === undefined ? '' : rir)) };
}

const numbersIn = (path: string): number[] =>
  [...readFileSync(path, 'utf8').matchAll(/^AS(\d+)/gm)].map(([, number]) => Number(number));

const nameOf = (dataset: Dataset, asn: number): string => printable(dataset.asn(asn)?.asn_name ?? '');
