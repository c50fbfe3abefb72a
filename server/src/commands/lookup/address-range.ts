/**
 * An address, a CIDR such as 192.0.2.0/24 or a range such as 192.0.2.0-192.0.2.9, and the addresses
 * in it.
 */
import { type Address, ipv4, parseAddress } from '@whence/dataset/address';
import { fromBigInt, parsePrefix, type Range, toBigInt } from '@whence/dataset/prefix';
import { PROGRAM } from '../../terminal/program-name.ts';
import { formatCount } from '../../terminal/table.ts';
import { type Entry, MAX_RANGE, TOO_LARGE } from './listed-arguments.ts';

function parseRange(text: string): Range | undefined {
  const dash = text.indexOf('-');
  if (dash < 0) return parsePrefix(text);
  const first = parseAddress(text.slice(0, dash).trim());
  const last = parseAddress(text.slice(dash + 1).trim());
  if (first === undefined || last === undefined || first.version !== last.version) return undefined;
  const range = { version: first.version, start: toBigInt(first), end: toBigInt(last) };
  return range.start <= range.end ? range : undefined;
}

export function parseRangeEntry(text: string): Entry<Range> {
  const range = parseRange(text);
  if (range === undefined)
    return { kind: 'invalid', text, error: 'invalid IP address', code: 'INVALID_IP' };
  const count = range.end - range.start + 1n;
  if (count <= MAX_RANGE) return { kind: 'item', item: range };
  const error = `${text} has ${countText(count)} addresses, more than ${formatCount(MAX_RANGE)}; for a summary: ${PROGRAM} prefix ${text}`;
  return { kind: 'invalid', text, error, code: TOO_LARGE };
}

export function* addressesOf({ version, start, end }: Range): Generator<Address> {
  if (version === 4) for (let word = Number(start); word <= Number(end); word++) yield ipv4(word);
  else for (let value = start; value <= end; value++) yield fromBigInt(value, 6);
}

/**
 * Above 10^15, as a power of two if it is one: 2^64 can be read, 18,446,744,073,709,551,616 cannot.
 */
function countText(count: bigint): string {
  if (count < 10n ** 15n) return formatCount(Number(count));
  const bits = count.toString(2);
  return /^10*$/.test(bits) ? `2^${bits.length - 1}` : `about 2^${bits.length}`;
}
