/** Who calls itself a crawler in a log, and which addresses belong to scanners, with the number of requests. */
import { type Address, formatAddress } from '@whence/dataset/address';
import { type Crawler, claimedCrawler } from '../../address/crawlers.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { readLog } from './log-entry.ts';

export type Claim = { readonly crawler: Crawler; readonly address: Address; readonly ip: string; requests: number };

export type ScannerRequests = { operator: string; ips: Set<string>; requests: number };

export type LogClaims = {
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
export async function readClaims(
  file: string,
  stdin: CommandStreams['stdin'],
  scannerOf: (address: Address) => string | undefined,
): Promise<LogClaims> {
  const claims = new Map<string, Claim>();
  const scanners = new Map<string, ScannerRequests>();
  let [unreadable, dropped] = [0, 0];
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
    else if (claims.size < MAX_CLAIMS) claims.set(key, { crawler, address: entry.address, ip, requests: 1 });
    else dropped++;
  });
  const byRequests = [...scanners.values()].sort((a, b) => b.requests - a.requests);
  return { claims: [...claims.values()], scanners: byRequests, lines, unreadable, dropped };
}
