/**
 * `npm run phones`: samples reverse names in networks that connect homes or carry mixed traffic,
 * and prints blocks of phones as rows of address-types.csv for a person to review. Once per
 * release, where a resolver is reachable. The data directory is WHENCE_DATA_DIR or ./whence-data.
 *
 *   npm run --silent phones -- --resolver 192.0.2.53 --queries 100000 > rows.csv
 */
import { Resolver } from 'node:dns/promises';
import { parseArgs } from 'node:util';
import { formatAddress } from '../../address.ts';
import { labelledNetworks } from '../../data-files/data-files.ts';
import { DatasetError } from '../../dataset-error.ts';
import { dayOfMs } from '../../day.ts';
import type { Dataset } from '../../file/read.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { fromBigInt, mergeRanges, prefixesOfRange, type Range } from '../../prefix.ts';
import type { ConnectionType } from '../../record.ts';
import { noDatasetError, openCurrent } from '../../versions/publish.ts';
import {
  type Block,
  type Findings,
  findPhones,
  type PhoneBlock,
  type ReverseLookup,
} from './sample-names.ts';

const WIDEST = 16;
const NARROWEST = 24;
const CONCURRENCY = 16;
const TIMEOUT_MS = 3_000;
const TRIES = 2;
const HEADER = 'prefix,connection_type,operator,as_of,source';

/**
 * Announced blocks that may be of phones and are called home or business, those of the largest
 * networks first. Networks with a row are asked if they connect homes or are carriers: other rows
 * say what all of their addresses are.
 */
export function candidateBlocks(dataset: Dataset): Block[] {
  const ranges = new Map<number, Range[]>();
  const types = new Map<number, ConnectionType>();
  for (const { start, end, match } of dataset.runs(4)) {
    if (match === 0) continue;
    const set = dataset.attributesOf(match);
    const type = getOrInsert(types, set, () => dataset.attributes(set).connection_type);
    const asn = dataset.asnNumber(match);
    if ((type === 'residential' || type === 'business') && isMixed(asn))
      getOrInsert(ranges, asn, () => []).push({ version: 4, start, end });
  }
  const asns = [...ranges.keys()].sort(
    (a, b) => dataset.networks.rowOf(a) - dataset.networks.rowOf(b),
  );
  return asns.flatMap((asn) => mergeRanges(ranges.get(asn) ?? []).flatMap(blocksOf(asn)));
}

function isMixed(asn: number): boolean {
  const row = labelledNetworks.find(asn);
  return row === undefined || row.connection_type === 'residential' || row.role === 'carrier';
}

const blocksOf =
  (asn: number) =>
  ({ start, end }: Range): Block[] => {
    const blocks: Block[] = [];
    for (const [base, length] of prefixesOfRange(start, end, 32)) {
      if (length > NARROWEST) continue;
      const width = Math.max(length, WIDEST);
      const size = 2n ** BigInt(32 - width);
      for (let i = 0n; i < 2n ** BigInt(width - length); i++)
        blocks.push({ asn, base: base + i * size, length: width });
    }
    return blocks;
  };

/** A row for each prefix, neighbours of one network joined. */
export function rowsOf(
  found: readonly PhoneBlock[],
  operatorOf: (asn: number) => string,
  day: string,
): string[] {
  const joined: (PhoneBlock & { end: bigint })[] = [];
  for (const block of found) {
    const end = block.base + 2n ** BigInt(32 - block.length) - 1n;
    const last = joined.at(-1);
    if (last !== undefined && last.asn === block.asn && last.end + 1n === block.base) {
      const phones = last.phones + block.phones;
      const named = last.named + block.named;
      joined[joined.length - 1] = { ...last, end, phones, named };
    } else joined.push({ ...block, end });
  }
  return joined.flatMap(({ asn, base, end, phones, named, example }) => {
    const source = `reverse names of phones at ${phones} of ${named} sampled addresses with a name (${example})`;
    return [...prefixesOfRange(base, end, 32)].map(
      ([address, length]) =>
        `${formatAddress(fromBigInt(address, 4))}/${length},mobile,${cell(operatorOf(asn))},${day},${source}`,
    );
  });
}

const cell = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** NXDOMAIN and an empty answer are "no name"; SERVFAIL and silence say nothing. */
export function reverseLookup(
  servers: readonly string[],
  options = { timeout: TIMEOUT_MS, tries: TRIES },
): ReverseLookup {
  const resolver = new Resolver(options);
  if (servers.length > 0) resolver.setServers(servers);
  return async (address) => {
    const bytes = formatAddress(fromBigInt(address, 4)).split('.');
    const name = `${bytes.toReversed().join('.')}.in-addr.arpa`;
    try {
      // Not `reverse`, which reads the hosts file too and calls every failure "not found".
      return { kind: 'names', names: await resolver.resolvePtr(name) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return { kind: code === 'ENOTFOUND' || code === 'ENODATA' ? 'none' : 'failed' };
    }
  };
}

function summary({ phoneBlocks, queries, unreachable, left }: Findings): string {
  return (
    `${queries} queries: ${phoneBlocks.length} blocks of phones, ` +
    `${unreachable} blocks whose name servers did not answer, ${left} blocks not sampled\n`
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      resolver: { type: 'string', multiple: true, default: [] },
      queries: { type: 'string', default: '200000' },
    },
  });
  const dataDir = process.env['WHENCE_DATA_DIR'] ?? 'whence-data';
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw noDatasetError(dataDir);
  const findings = await findPhones(candidateBlocks(dataset), {
    lookUp: reverseLookup(values.resolver),
    maxQueries: Number(values.queries),
    random: Math.random,
    concurrency: CONCURRENCY,
  });
  const operatorOf = (asn: number) => dataset.asn(asn)?.asn_name ?? `AS${asn}`;
  const rows = rowsOf(findings.phoneBlocks, operatorOf, dayOfMs(Date.now()));
  process.stdout.write([HEADER, ...rows, ''].join('\n'));
  process.stderr.write(summary(findings));
}

if (process.argv[1] === import.meta.filename) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
