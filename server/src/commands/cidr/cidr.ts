/** `wh cidr`: ranges as CIDRs and CIDRs as ranges, whether one contains another, and the shortest list for many. */
import { formatAddress } from '@whence/dataset/address';
import {
  addressBits,
  formatPrefix,
  fromBigInt,
  mergeRanges,
  prefixesOfRange,
  type Range,
} from '@whence/dataset/prefix';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { type CommandStreams, dataSink } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { parseRange } from '../lookup/address-range.ts';
import {
  type Entry,
  eachEntry,
  type ListedArguments,
  listedArguments,
  printInvalid,
} from '../lookup/listed-arguments.ts';

type Written = { readonly text: string; readonly range: Range };

/** A range becomes its CIDRs, a CIDR its range; `to` forces one of them. */
export async function cidrCommand(
  texts: readonly string[],
  { to, json }: { to?: 'cidr' | 'range'; json?: boolean },
  streams: CommandStreams,
): Promise<ExitCode> {
  const sink = dataSink(streams.stdout);
  const print = async ({ text, range }: Written) => {
    if (json === true) {
      const [first = '', last = ''] = formatRange(range).split('-');
      await sink.write(jsonLine({ input: text, first, last, cidrs: [...cidrsOf(range)] }));
    } else if (to === 'range' || (to === undefined && text.includes('/'))) await sink.write(`${formatRange(range)}\n`);
    else for (const cidr of cidrsOf(range)) await sink.write(`${cidr}\n`);
    return true;
  };
  return eachEntry(listed(texts, streams), print, printInvalid(streams.stderr));
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
  const print = async ({ text, range }: Written) => {
    const isInside = range.version === outer.version && range.start >= outer.start && range.end <= outer.end;
    const answer =
      json === true ? JSON.stringify({ input: text, is_contained: isInside }) : `${text}\t${isInside ? 'yes' : 'no'}`;
    await sink.write(`${answer}\n`);
    return isInside;
  };
  return eachEntry(listed(texts, streams), print, printInvalid(streams.stderr));
}

/** The shortest list of CIDRs, or of ranges, for all addresses of the list: IPv4 first, in order. */
export async function cidrMergeCommand(
  texts: readonly string[],
  { to, json }: { to?: 'cidr' | 'range'; json?: boolean },
  streams: CommandStreams,
): Promise<ExitCode> {
  const ranges: Range[] = [];
  const add = async ({ range }: Written) => ranges.push(range) > 0;
  const code = await eachEntry(listed(texts, streams), add, printInvalid(streams.stderr));
  const sink = dataSink(streams.stdout);
  const merged = mergeRanges(ranges);
  const format = to === 'range' ? (range: Range) => [formatRange(range)] : cidrsOf;
  if (json === true) await sink.write(jsonLine(merged.flatMap((range) => [...format(range)])));
  else for (const range of merged) await sink.write([...format(range)].map((text) => `${text}\n`).join(''));
  return code;
}

const listed = (texts: readonly string[], { stdin }: CommandStreams): ListedArguments<Written> =>
  listedArguments(texts, parseWritten, stdin, 'CIDRs, ranges, addresses');

function parseWritten(text: string): Entry<Written> {
  const range = parseRange(text);
  if (range === undefined)
    return { kind: 'invalid', text, error: 'invalid CIDR, range or address', code: 'INVALID_RANGE' };
  return { kind: 'item', item: { text, range } };
}

function* cidrsOf({ version, start, end }: Range): Generator<string> {
  for (const [base, length] of prefixesOfRange(start, end, addressBits(version)))
    yield formatPrefix(fromBigInt(base, version), length);
}

const formatRange = ({ version, start, end }: Range): string =>
  `${formatAddress(fromBigInt(start, version))}-${formatAddress(fromBigInt(end, version))}`;
