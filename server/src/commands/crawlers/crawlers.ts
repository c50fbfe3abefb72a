/** `whence crawlers access.log`: who calls itself a crawler, and whether it is one. */

import type { Address } from '@whence/dataset/address';
import {
  CRAWLER_STATUSES,
  type CrawlerStatus,
  type Verification,
  verifyCrawler,
} from '../../address/crawler-verification.ts';
import type { Hostname } from '../../address/hostname.ts';
import { HostnameLookups } from '../../address/hostname-lookups.ts';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import { noteWaiting, STANDARD_INPUT } from '../../enrich/input.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { fit, type Style } from '../../terminal/style.ts';
import { type Cell, countOf, formatCount, formatTable } from '../../terminal/table.ts';
import { inOrder } from '../email/in-order.ts';
import { openLocalDataset } from '../local-dataset.ts';
import { type Claim, type LogClaims, readClaims } from './claims.ts';

type CrawlersOptions = { json?: boolean; dns?: boolean };
type Settings = { readonly dataDir: string; readonly dnsServers: readonly string[] };

/** Addresses that are looked up at a time. */
const PARALLEL = 16;
/** Addresses that the table lists; JSON has all. */
const MAX_LISTED = 50;

type VerifiedClaim = Claim & Verification;

export async function crawlersCommand(
  file: string | undefined,
  { json = false, dns = true }: CrawlersOptions,
  { dataDir, dnsServers }: Settings,
  streams: CommandStreams,
): Promise<ExitCode> {
  const dataset = openLocalDataset(dataDir);
  const path = file ?? STANDARD_INPUT;
  noteWaiting(path, streams, 'a log');
  const log = await readClaims(path, streams.stdin);
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
  const style = fit(streams);
  streams.stdout.write(json ? jsonLine(reportOf(log, verified)) : textOf(log, verified, style));
  return 0;
}

/** Per crawler: requests and addresses by status. */
function summaryOf(verified: readonly VerifiedClaim[]) {
  const summary = new Map<string, { crawler: string; requests: number; addresses: Record<CrawlerStatus, number> }>();
  for (const { crawler, requests, status } of verified) {
    const row = summary.get(crawler.name) ?? { crawler: crawler.name, requests: 0, addresses: noAddresses() };
    row.requests += requests;
    row.addresses[status]++;
    summary.set(crawler.name, row);
  }
  return [...summary.values()].sort((a, b) => b.requests - a.requests);
}

const noAddresses = () =>
  Object.fromEntries(CRAWLER_STATUSES.map((status) => [status, 0])) as Record<CrawlerStatus, number>;

function reportOf({ lines, unreadable, dropped }: LogClaims, verified: readonly VerifiedClaim[]) {
  const addresses = verified.map(({ crawler, ip, requests, status, by, hostname }) => ({
    crawler: crawler.name,
    ip,
    requests,
    status,
    ...(by !== undefined && { by }),
    ...(hostname !== undefined && { hostname }),
  }));
  return { lines, unreadable, dropped, crawlers: summaryOf(verified), addresses };
}

function textOf({ lines, unreadable, dropped }: LogClaims, verified: readonly VerifiedClaim[], style: Style): string {
  const shown = CRAWLER_STATUSES.filter((status) => verified.some((claim) => claim.status === status));
  const head = ['crawler', 'requests', ...shown.map((status) => status.replace('_', ' '))];
  const rows = summaryOf(verified).map(({ crawler, requests, addresses }): Cell[] => [
    crawler,
    formatCount(requests).padStart('requests'.length),
    ...shown.map((status): Cell => {
      const count = formatCount(addresses[status]).padStart(status.length);
      return status === 'forged' && addresses.forged > 0 ? [count, style.red] : count;
    }),
  ]);
  const doubtful = verified.filter(({ status }) => status !== 'verified');
  const listed = doubtful
    .slice(0, MAX_LISTED)
    .map(({ crawler, ip, requests, status, hostname = '' }): Cell[] => [
      [status.replace('_', ' '), status === 'forged' ? style.red : style.yellow],
      crawler.name,
      ip,
      formatCount(requests).padStart('requests'.length),
      hostname,
    ]);
  const more = doubtful.length > listed.length ? `and ${formatCount(doubtful.length - listed.length)} more\n` : '';
  const notes = [
    `${countOf(lines, 'line')}, ${formatCount(unreadable)} without an address or a user agent\n`,
    dropped > 0 ? `${countOf(dropped, 'request')} of further addresses were not examined\n` : '',
  ].join('');
  if (verified.length === 0) return `no crawlers\n${notes}`;
  const list =
    listed.length === 0
      ? ''
      : `\n${formatTable(listed, style, { head: ['', 'crawler', 'address', 'requests', 'hostname'] })}${more}`;
  return `${formatTable(rows, style, { head })}${list}\n${notes}`;
}
