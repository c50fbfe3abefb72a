/** Who calls itself a crawler in a log: crawler and address, with the number of requests. */
import { StringDecoder } from 'node:string_decoder';
import { type Address, formatAddress } from '@whence/dataset/address';
import { type Crawler, claimedCrawler } from '../../address/crawlers.ts';
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

export async function readClaims(chunks: AsyncIterable<Buffer>): Promise<LogClaims> {
  const claims = new Map<string, Claim>();
  let [lines, unreadable, dropped] = [0, 0, 0];
  for await (const line of linesOf(chunks)) {
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

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const parts = decoder.write(chunk).split('\n');
    parts[0] = rest + parts[0];
    rest = (parts.pop() ?? '').slice(0, MAX_LINE);
    yield* parts;
  }
  if (rest !== '') yield rest;
}
