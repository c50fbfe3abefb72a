/**
 * `whence crawlers access.log`: who calls itself a crawler, whether it is one, and which requests
 * are of scanners.
 */
import { type Address, formatAddress } from '@whence/dataset/address';
import { type Verification, verifyCrawler } from '../../address/crawler-verification.ts';
import { type Crawler, claimedCrawler } from '../../address/crawlers.ts';
import type { Hostname } from '../../address/hostname.ts';
import { HostnameLookups } from '../../address/hostname-lookups.ts';
import { scannerOf } from '../../address/scanner.ts';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import { noteWaiting, STANDARD_INPUT } from '../../enrich/input.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { fit, type Style } from '../../terminal/style.ts';
import { type Cell, countOf, formatCount, formatTable } from '../../terminal/table.ts';
import { CRAWLER_STATUSES, type CrawlerStatus } from '../../vocabulary.ts';
import { inOrder } from '../email/in-order.ts';
import type { DataSettings } from '../embedded-data.ts';
import { openOverridden } from '../local-dataset.ts';
import { readLog } from './read-log.ts';

type CrawlersOptions = {
  json?: boolean;
  dns?: boolean;
  all?: boolean;
  status?: ReadonlySet<CrawlerStatus>;
};
type Settings = DataSettings & { readonly dnsServers: readonly string[] };

const PARALLEL = 16;
/** Addresses that the table lists without --all; JSON has all. */
const MAX_LISTED = 50;

type VerifiedClaim = Claim & Verification;

export async function crawlersCommand(
  file: string | undefined,
  { json = false, dns = true, all = false, status }: CrawlersOptions,
  { dnsServers, ...data }: Settings,
  streams: CommandStreams,
): Promise<ExitCode> {
  const dataset = await openOverridden(data);
  const path = file ?? STANDARD_INPUT;
  noteWaiting(path, streams, 'a log');
  const operators = new Map<number, string | undefined>();
  const log = await readClaims(path, streams.stdin, (address) => {
    const match = dataset.find(address);
    if (match === 0) return undefined;
    const set = dataset.attributesOf(match);
    if (!operators.has(set)) operators.set(set, scannerOf(dataset, match)?.operator);
    return operators.get(set);
  });
  const checks = new EmailChecks(dnsServers);
  const hostnames = new HostnameLookups(() => checks.dnsClient());
  const findHostname = (address: Address): Promise<Hostname> =>
    hostnames.find(address, { fairnessKey: 'command line', signal: new AbortController().signal });
  const verified: VerifiedClaim[] = [];
  const verify = async (claim: Claim): Promise<VerifiedClaim> => ({
    ...claim,
    ...(await verifyCrawler(claim.crawler, claim.address, dataset, dns ? findHostname : undefined)),
  });
  try {
    for await (const claim of inOrder(log.claims, PARALLEL, verify)) verified.push(claim);
  } finally {
    checks.close();
  }
  verified.sort((a, b) => b.requests - a.requests || a.ip.localeCompare(b.ip));
  const isListed = (claim: VerifiedClaim) =>
    status === undefined ? json || claim.status !== 'verified' || all : status.has(claim.status);
  const listed = verified.filter(isListed);
  const maxListed = all ? listed.length : MAX_LISTED;
  streams.stdout.write(
    json
      ? jsonLine(reportOf(log, verified, listed))
      : textOf(log, verified, listed, maxListed, fit(streams)),
  );
  return log.unreadable === log.lines ? 1 : 0;
}

type Counts = { requests: number; addresses: number };
type SummaryRow = { crawler: string; status: CrawlerStatus } & Counts;

/**
 * A row for each crawler and status, so that both columns add up; crawlers with the most requests
 * first.
 */
function summaryOf(verified: readonly VerifiedClaim[]): SummaryRow[] {
  const rows = new Map<string, SummaryRow>();
  const totals = new Map<string, number>();
  for (const { crawler, requests, status } of verified) {
    const key = `${crawler.name} ${status}`;
    const row = rows.get(key) ?? { crawler: crawler.name, status, requests: 0, addresses: 0 };
    row.requests += requests;
    row.addresses++;
    rows.set(key, row);
    totals.set(crawler.name, (totals.get(crawler.name) ?? 0) + requests);
  }
  const order = ({ crawler, status }: SummaryRow) => [
    -(totals.get(crawler) ?? 0),
    crawler,
    CRAWLER_STATUSES.indexOf(status),
  ];
  const compare = (a: SummaryRow, b: SummaryRow) => {
    const left = order(a);
    const right = order(b);
    const at = left.findIndex((value, i) => value !== right[i]);
    if (at < 0) return 0;
    return (left[at] as number) < (right[at] as number) ? -1 : 1;
  };
  return [...rows.values()].sort(compare);
}

const totalOf = (rows: readonly Counts[]): Counts =>
  rows.reduce(
    (sum, { requests, addresses }) => {
      return { requests: sum.requests + requests, addresses: sum.addresses + addresses };
    },
    { requests: 0, addresses: 0 },
  );

function reportOf(
  { lines, unreadable, dropped, scanners }: LogClaims,
  verified: readonly VerifiedClaim[],
  listed: readonly VerifiedClaim[],
) {
  const addresses = listed.map(({ crawler, ip, requests, status, by, hostname }) => ({
    crawler: crawler.name,
    ip,
    requests,
    status,
    ...(by !== undefined && { by }),
    ...(hostname !== undefined && { hostname }),
  }));
  const crawlers = summaryOf(verified);
  const ofScanners = scanners.map(({ operator, requests, ips }) => ({
    operator,
    requests,
    addresses: [...ips],
  }));
  return {
    lines,
    unreadable,
    dropped,
    total: totalOf(crawlers),
    crawlers,
    addresses,
    scanners: ofScanners,
  };
}

function textOf(
  { lines, unreadable, dropped, scanners }: LogClaims,
  verified: readonly VerifiedClaim[],
  wanted: readonly VerifiedClaim[],
  maxListed: number,
  style: Style,
): string {
  const notes = [
    `${countOf(lines, 'line')}, ${formatCount(unreadable)} without an address or a user agent\n`,
    dropped > 0 ? `${countOf(dropped, 'request')} of further addresses were not examined\n` : '',
  ].join('');
  const scannerRows = scanners.map(({ operator, requests, ips }): Cell[] => [
    operator,
    padCount(requests, 'requests'),
    padCount(ips.size, 'addresses'),
  ]);
  const ofScanners =
    scanners.length === 0
      ? ''
      : `\n${formatTable(scannerRows, style, { head: ['scanner', 'requests', 'addresses'] })}`;
  if (verified.length === 0) return `no crawlers\n${ofScanners}${notes}`;
  const summary = summaryOf(verified);
  const { requests, addresses } = totalOf(summary);
  const rows = summary.map((row, i): Cell[] => [
    summary[i - 1]?.crawler === row.crawler ? '' : row.crawler,
    statusCell(row.status, style),
    padCount(row.requests, 'requests'),
    padCount(row.addresses, 'addresses'),
  ]);
  const total = ['total', '', padCount(requests, 'requests'), padCount(addresses, 'addresses')];
  const listed = wanted
    .slice(0, maxListed)
    .map(({ crawler, ip, requests, status, hostname = '' }): Cell[] => [
      statusCell(status, style),
      crawler.name,
      ip,
      padCount(requests, 'requests'),
      hostname,
    ]);
  const more =
    wanted.length > listed.length
      ? `and ${formatCount(wanted.length - listed.length)} more (--all)\n`
      : '';
  const list =
    listed.length === 0
      ? ''
      : `\n${formatTable(listed, style, { head: ['status', 'crawler', 'address', 'requests', 'hostname'] })}${more}`;
  const head = ['crawler', 'status', 'requests', 'addresses'];
  return `${formatTable([...rows, total], style, { head })}${list}${ofScanners}\n${notes}`;
}

const padCount = (count: number, title: string) => formatCount(count).padStart(title.length);

function statusCell(status: CrawlerStatus, { red, yellow, green }: Style): Cell {
  if (status === 'forged') return [status, red];
  return [status, status === 'verified' ? green : yellow];
}

/**
 * Who calls itself a crawler in a log, and which addresses belong to scanners, with the number of
 * requests.
 */
type Claim = {
  readonly crawler: Crawler;
  readonly address: Address;
  readonly ip: string;
  requests: number;
};

type ScannerRequests = { operator: string; ips: Set<string>; requests: number };

type LogClaims = {
  readonly claims: readonly Claim[];
  /** Research scanners, whatever they call themselves. */
  readonly scanners: readonly ScannerRequests[];
  readonly lines: number;
  /** Lines without an address or a user agent. */
  readonly unreadable: number;
  /** Requests of crawlers that were not recorded, because there were too many addresses before. */
  readonly dropped: number;
};

/** A claim takes some 300 bytes, and up to three DNS questions. */
const MAX_CLAIMS = 100_000;

/** `scannerOf` returns the operator of a scanner. */
async function readClaims(
  file: string,
  stdin: CommandStreams['stdin'],
  scannerOf: (address: Address) => string | undefined,
): Promise<LogClaims> {
  const claims = new Map<string, Claim>();
  const scanners = new Map<string, ScannerRequests>();
  let unreadable = 0;
  let dropped = 0;
  const lines = await readLog(file, stdin, (entry) => {
    if (entry?.userAgent === undefined) {
      unreadable++;
      return;
    }
    const operator = scannerOf(entry.address);
    const ip = formatAddress(entry.address);
    if (operator !== undefined) {
      const scanner = scanners.get(operator) ?? { operator, ips: new Set(), requests: 0 };
      scanner.requests++;
      scanners.set(operator, scanner);
      if (scanner.ips.size < MAX_CLAIMS) scanner.ips.add(ip);
    }
    const crawler = claimedCrawler(entry.userAgent);
    if (crawler === undefined) return;
    const key = `${crawler.name} ${ip}`;
    const claim = claims.get(key);
    if (claim !== undefined) claim.requests++;
    else if (claims.size < MAX_CLAIMS)
      claims.set(key, { crawler, address: entry.address, ip, requests: 1 });
    else dropped++;
  });
  const byRequests = [...scanners.values()].sort((a, b) => b.requests - a.requests);
  return { claims: [...claims.values()], scanners: byRequests, lines, unreadable, dropped };
}
