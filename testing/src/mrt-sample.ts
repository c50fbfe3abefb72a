/** Encodes MRT messages (RFC 6396) for tests. */
import { isIPv4 } from 'node:net';

export type Entry = {
  readonly peer?: number;
  readonly attributes: Buffer;
};

export function message(type: number, subtype: number, body: Buffer, seconds = 0): Buffer {
  return Buffer.concat([u32(seconds), u16(type), u16(subtype), u32(body.length), body]);
}

export function peerTable(peers: number, view = ''): Buffer {
  const peer = Buffer.concat([Buffer.from([2]), u32(1), u32(2), u32(3)]);
  const header = Buffer.concat([u32(0), u16(view.length), Buffer.from(view), u16(peers)]);
  return message(13, 1, Buffer.concat([header, ...Array.from({ length: peers }, () => peer)]), 1_777_939_200);
}

/** `subtype` 2 and 4, or 8 and 10, whose entries have a path identifier. */
export function rib(subtype: number, prefix: string, entries: readonly Entry[]): Buffer {
  const { bytes, length } = prefixBytes(prefix);
  const rows = entries.flatMap(({ peer = 0, attributes }) => [
    u16(peer),
    u32(0),
    ...(subtype >= 8 ? [u32(1)] : []),
    u16(attributes.length),
    attributes,
  ]);
  const short = bytes.subarray(0, Math.ceil(length / 8));
  return message(13, subtype, Buffer.concat([u32(0), Buffer.from([length]), short, u16(entries.length), ...rows]));
}

export function legacy(prefix: string, attributes: Buffer): Buffer {
  const { bytes, length } = prefixBytes(prefix);
  const peer = Buffer.alloc(bytes.length);
  const head = [u16(0), u16(0), bytes, Buffer.from([length, 1]), u32(0), peer, u16(7), u16(attributes.length)];
  return message(12, bytes.length === 4 ? 1 : 2, Buffer.concat([...head, attributes]));
}

/** A path attribute: 2 is AS_PATH, 17 AS4_PATH. */
export function attribute(type: number, value: Buffer, hasLongLength = false): Buffer {
  const head = hasLongLength ? [0x50, type, value.length >> 8, value.length & 255] : [0x40, type, value.length];
  return Buffer.concat([Buffer.from(head), value]);
}

/** A segment of a path: 1 a set, 2 a sequence, 3 and 4 those of a confederation. */
export function segment(type: number, asns: readonly number[], asnBytes: 2 | 4 = 4): Buffer {
  return Buffer.concat([Buffer.from([type, asns.length]), ...asns.map(asnBytes === 4 ? u32 : u16)]);
}

function prefixBytes(text: string): { bytes: Buffer; length: number } {
  const [address = '', length] = text.split('/');
  if (isIPv4(address)) return { bytes: Buffer.from(address.split('.').map(Number)), length: Number(length) };
  const [before = [], after = []] = address
    .split('::')
    .map((groups) => groups.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...zeros, ...after].map((group) => u16(Number.parseInt(group, 16)));
  return { bytes: Buffer.concat(groups), length: Number(length) };
}

function u16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
