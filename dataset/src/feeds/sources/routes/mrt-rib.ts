/**
 * Routing table dumps of route collectors in MRT (RFC 6396). There are two types:
 *
 *   TABLE_DUMP_V2 (13)   a peer table, then a message per prefix with an entry per peer that sees it; 4-byte AS numbers
 *     RIB                sequence 4, length 1, prefix, number of entries 2, entries
 *     entry              peer 2, time 4, (path identifier 4, RFC 8050), length of attributes 2, attributes
 *   TABLE_DUMP (12)      a message per prefix and peer; 2-byte AS numbers
 *     message            view 2, sequence 2, prefix 4 or 16, length 1, status 1, time 4, peer 4 or 16, peer AS 2,
 *                        length of attributes 2, attributes
 *
 * A file that ends inside a message is used up to there: the messages before a truncation are valid.
 */
import { type Address, ipv4, ipv6 } from '../../../address.ts';
import { type Content, tooManyRecords } from '../../../io/content.ts';
import { addressBits } from '../../../prefix.ts';
import type { Routes } from '../../parsed.ts';
import { originOf } from './bgp-origin.ts';
import { type MrtMessage, mrtMessages } from './mrt-messages.ts';
import { MIN_PEERS, RouteCollector } from './route-collector.ts';

/** `records` counts messages about a prefix. */
export function parseMrtRib(content: Content): Routes {
  const routes = new RouteCollector();
  const messages = mrtMessages(content.chunks());
  let records = 0;
  let skipped = 0;
  let minPeers = MIN_PEERS;
  let asOf: string | undefined;
  let step = messages.next();
  for (; step.done !== true; step = messages.next()) {
    const message = step.value;
    if (asOf === undefined) {
      checkFirst(message);
      asOf = new Date(message.seconds * 1000).toISOString().slice(0, 10);
    }
    const kind = kindOf(message);
    if (kind === undefined) continue;
    if (kind === 'peers') {
      minPeers = minPeersOf(message.body) ?? minPeers;
      continue;
    }
    const isRead = kind.isLegacy ? addLegacy(routes, message.body, kind.version) : addRib(routes, message.body, kind);
    if (isRead) records++;
    else skipped++;
    if (records > content.maxRecords) throw tooManyRecords(content.maxRecords);
  }
  if (step.value) skipped++;
  return { shape: 'routes', records, skipped, ...(asOf && { asOf }), ...routes.finish(minPeers), names: new Map() };
}

const TABLE_DUMP = 12;
const TABLE_DUMP_V2 = 13;

function checkFirst({ type }: MrtMessage): void {
  if (type === TABLE_DUMP || type === TABLE_DUMP_V2) return;
  throw new Error(`not a routing table in MRT: its first message is of type ${type}, not 12 or 13`);
}

type Rib = { readonly version: 4 | 6; readonly isLegacy?: true; readonly hasPathIds?: true };

/** Other subtypes are multicast or not about prefixes. */
function kindOf({ type, subtype }: MrtMessage): Rib | 'peers' | undefined {
  if (type === TABLE_DUMP) return LEGACY_SUBTYPES[subtype];
  return type === TABLE_DUMP_V2 ? SUBTYPES[subtype] : undefined;
}

const LEGACY_SUBTYPES: Readonly<Record<number, Rib>> = {
  1: { version: 4, isLegacy: true },
  2: { version: 6, isLegacy: true },
};
const SUBTYPES: Readonly<Record<number, Rib | 'peers'>> = {
  1: 'peers',
  2: { version: 4 },
  4: { version: 6 },
  8: { version: 4, hasPathIds: true },
  10: { version: 6, hasPathIds: true },
};

/** For a collector with few peers, half of them are enough. */
function minPeersOf(body: Buffer): number | undefined {
  const name = body.length < 6 ? 0 : body.readUInt16BE(4);
  if (body.length < 8 + name) return undefined;
  return Math.min(MIN_PEERS, Math.ceil(body.readUInt16BE(6 + name) / 2));
}

/** Adds nothing if the message is malformed. */
function addRib(routes: RouteCollector, body: Buffer, { version, hasPathIds }: Rib): boolean {
  if (body.length < 5) return false;
  const length = body.readUInt8(4);
  const entries = 5 + Math.ceil(length / 8);
  if (length > addressBits(version) || entries + 2 > body.length) return false;
  const origins: number[] = [];
  const peers: number[] = [];
  const sets: (readonly number[])[] = [];
  // With path identifiers a peer may have several routes to a prefix. It is counted once per origin.
  const counted = hasPathIds && new Set<string>();
  const entryBytes = hasPathIds ? 12 : 8;
  let at = entries + 2;
  for (let left = body.readUInt16BE(entries); left > 0; left--) {
    const attributes = at + entryBytes;
    if (attributes > body.length) return false;
    const end = attributes + body.readUInt16BE(attributes - 2);
    if (end > body.length) return false;
    const origin = originOf(body, attributes, end, 4);
    if (origin === 'unreadable') return false;
    const peer = at;
    at = end;
    if (origin === 'none') continue;
    if (counted) {
      const key = `${body.readUInt16BE(peer)} ${origin}`;
      if (counted.has(key)) continue;
      counted.add(key);
    }
    if (typeof origin !== 'number') {
      sets.push(origin);
      continue;
    }
    const known = origins.indexOf(origin);
    if (known < 0) peers[origins.push(origin) - 1] = 1;
    else (peers[known] as number)++;
  }
  const address = readAddress(body, 5, entries, version);
  for (const [i, origin] of origins.entries()) routes.add(address, length, origin, peers[i] as number);
  for (const set of sets) routes.addSet(address, length, set, 1);
  return true;
}

function addLegacy(routes: RouteCollector, body: Buffer, version: 4 | 6): boolean {
  const addressBytes = addressBits(version) / 8;
  const attributes = 4 + addressBytes + 6 + addressBytes + 4;
  if (body.length < attributes) return false;
  const length = body.readUInt8(4 + addressBytes);
  const end = attributes + body.readUInt16BE(attributes - 2);
  if (length > addressBits(version) || end > body.length) return false;
  const origin = originOf(body, attributes, end, 2);
  if (origin === 'unreadable') return false;
  const address = readAddress(body, 4, 4 + addressBytes, version);
  if (typeof origin === 'number') routes.add(address, length, origin, 1);
  else if (origin !== 'none') routes.addSet(address, length, origin, 1);
  return true;
}

/** A short prefix has only its leading bytes; the others are zero. */
function readAddress(body: Buffer, start: number, end: number, version: 4 | 6): Address {
  const word = (i: number) => {
    const at = start + i * 4;
    const bytes = Math.min(Math.max(end - at, 0), 4);
    return bytes === 0 ? 0 : body.readUIntBE(at, bytes) * 256 ** (4 - bytes);
  };
  return version === 4 ? ipv4(word(0)) : ipv6(word(0), word(1), word(2), word(3));
}
