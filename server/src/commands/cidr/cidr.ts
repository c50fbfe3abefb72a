/** `wh cidr`: ranges as CIDRs and CIDRs as ranges, whether one contains another, and the shortest list for many. */
import { formatAddress } from '@whence/dataset/address';
import { addressBits, formatPrefix, fromBigInt, prefixesOfRange, type Range } from '@whence/dataset/prefix';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { type CommandStreams, dataSink } from '../../terminal/output.ts';
import { jsonLine, printable } from '../../terminal/printable.ts';
import { parseRange } from '../lookup/address-range.ts';
import {
  describeInvalid,
  type Entry,
  type Invalid,
  type ListedArguments,
  listedArguments,
} from '../lookup/listed-arguments.ts';

type Written = { readonly text: string; readonly range: Range };

/** A range becomes its CIDRs, a CIDR its range; `to` forces one of them. */
export async function cidrCommand(
  texts: readonly string[],
  { to, json }: { to?: 'cidr' | 'range'; json?: boolean },
  streams: CommandStreams,
): Promise<ExitCode> {
  const sink = dataSink(streams.stdout);
  return eachRange(listed(texts, streams), streams, async ({ text, range }) => {
    if (json === true) {
      const [first = '', last = ''] = formatRange(range).split('-');
      await sink.write(jsonLine({ input: text, first, last, cidrs: [...cidrsOf(range)] }));
    } else if (to === 'range' || (to === undefined && text.includes('/'))) await sink.write(`${formatRange(range)}\n`);
    else for (const cidr of cidrsOf(range)) await sink.write(`${cidr}\n`);
  });
}

export async function cidrContainsCommand(
  container: string,
  texts: readonly string[],
  { json }: { json?: boolean },
  streams: CommandStreams,
): Promise<ExitCode> {
  const outer = parseRange(container);
  if (outer === undefined) throw new UsageError(`invalid CIDR or range: ${JSON.stringify(container)}`);
  const sink = dataSink(streams.stdout);
  let isEveryInside = true;
  const code = await eachRange(listed(texts, streams), streams, async ({ text, range }) => {
    const isInside = range.version === outer.version && range.start >= outer.start && range.end <= outer.end;
    isEveryInside &&= isInside;
    const answer =
      json === true ? JSON.stringify({ input: text, is_contained: isInside }) : `${text}\t${isInside ? 'yes' : 'no'}`;
    await sink.write(`${answer}\n`);
  });
  return isEveryInside ? code : 1;
}

/** The shortest list of CIDRs, or of ranges, for all addresses of the list: IPv4 first, in order. */
export async function cidrMergeCommand(
  texts: readonly string[],
  { to, json }: { to?: 'cidr' | 'range'; json?: boolean },
  streams: CommandStreams,
): Promise<ExitCode> {
  const ranges: Range[] = [];
  const code = await eachRange(listed(texts, streams), streams, ({ range }) => void ranges.push(range));
  const sink = dataSink(streams.stdout);
  const merged = mergeRanges(ranges);
  const format = to === 'range' ? (range: Range) => [formatRange(range)] : cidrsOf;
  if (json === true) await sink.write(jsonLine(merged.flatMap((range) => [...format(range)])));
  else for (const range of merged) await sink.write([...format(range)].map((text) => `${text}\n`).join(''));
  return code;
}

function mergeRanges(ranges: readonly Range[]): Range[] {
  const sorted = [...ranges].sort(
    (a, b) => a.version - b.version || (a.start < b.start ? -1 : a.start > b.start ? 1 : 0),
  );
  const merged: Range[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last === undefined || last.version !== range.version || range.start > last.end + 1n) merged.push(range);
    else if (range.end > last.end) merged[merged.length - 1] = { ...last, end: range.end };
  }
  return merged;
}

const listed = (texts: readonly string[], { stdin }: CommandStreams): ListedArguments<Written> =>
  listedArguments(texts, parseWritten, stdin, 'CIDRs, ranges, addresses');

function parseWritten(text: string): Entry<Written> {
  const range = parseRange(text);
  if (range === undefined)
    return { kind: 'invalid', text, error: 'invalid CIDR, range or address', code: 'INVALID_RANGE' };
  return { kind: 'item', item: { text, range } };
}

/** An invalid entry is reported, and the others are used all the same: 1. */
async function eachRange(
  { entries }: ListedArguments<Written>,
  { stderr }: CommandStreams,
  use: (written: Written) => Promise<void> | void,
): Promise<ExitCode> {
  let code: ExitCode = 0;
  const reject = (invalid: Invalid) => {
    code = 1;
    stderr.write(`error: ${printable(describeInvalid(invalid))}\n`);
  };
  for await (const group of entries())
    for (const entry of group) {
      if (entry.kind === 'invalid') reject(entry);
      else await use(entry.item);
    }
  return code;
}

function* cidrsOf({ version, start, end }: Range): Generator<string> {
  for (const [base, length] of prefixesOfRange(start, end, addressBits(version)))
    yield formatPrefix(fromBigInt(base, version), length);
}

const formatRange = ({ version, start, end }: Range): string =>
  `${formatAddress(fromBigInt(start, version))}-${formatAddress(fromBigInt(end, version))}`;
