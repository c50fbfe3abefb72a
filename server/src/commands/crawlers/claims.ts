/** Who calls itself a crawler in a log: crawler and address, with the number of requests. */
import type { Readable } from 'node:stream';
import { type Address, formatAddress } from '@whence/dataset/address';
import { type Crawler, claimedCrawler } from '../../address/crawlers.ts';
import { textLines } from '../../enrich/input.ts';
import { parseLogLine } from './log-entry.ts';

export type Claim = { readonly crawler: Crawler; readonly address: Address; readonly ip: string; requests: number };

export type LogClaims = {
  readonly claims: readonly Claim[];
  readonly lines: number;
  /** Lines without an address or a user agent. */
  readonly unreadable: number;
  /** Requests of crawlers that were not recorded, because there were too many addresses before. */
  readonly dropped: number;
};

/** A claim takes some 300 bytes, and up to three DNS questions. */
const MAX_CLAIMS = 100_000;
/** The rest of a longer line is ignored. */
const MAX_LINE = 64 * 1024;

export async function readClaims(file: string, stdin: () => Readable): Promise<LogClaims> {
  const claims = new Map<string, Claim>();
  let [lines, unreadable, dropped] = [0, 0, 0];
  for await (const group of textLines(file, stdin, MAX_LINE))
    for (const line of group) {
      if (line.trim() === '') continue;
      lines++;
      const entry = parseLogLine(line.trim());
      if (entry === undefined) {
        unreadable++;
        continue;
      }
      const crawler = claimedCrawler(entry.userAgent);
      if (crawler === undefined) continue;
      const ip = formatAddress(entry.address);
      const key = `${crawler.name} ${ip}`;
      const claim = claims.get(key);
      if (claim !== undefined) claim.requests++;
      else if (claims.size < MAX_CLAIMS) claims.set(key, { crawler, address: entry.address, ip, requests: 1 });
      else dropped++;
    }
  return { claims: [...claims.values()], lines, unreadable, dropped };
}
