/** `wh grepip [FILE…]`: the lines of a text that have an address in them, or the addresses, by the rules of `enrich`. */
import { type Address, formatAddress } from '@whence/dataset/address';
import { AddressFinder } from '@whence/dataset/find-address';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { InputError, noteWaiting, STANDARD_INPUT } from '../../enrich/input.ts';
import { readLines } from '../../enrich/read-lines.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { type CommandStreams, dataSink } from '../../terminal/output.ts';

type GrepOptions = {
  onlyMatching?: boolean;
  ipv4?: boolean;
  ipv6?: boolean;
  excludeReserved?: boolean;
  /** False with --no-filename. */
  filename?: boolean;
};

/** 0: there is one. 1: there is none. A file that cannot be read is a usage error, as for grep. */
export async function grepipCommand(
  texts: readonly string[],
  options: GrepOptions,
  streams: CommandStreams,
): Promise<ExitCode> {
  const files = texts.length === 0 ? [STANDARD_INPUT] : texts;
  if (texts.length === 0) noteWaiting(STANDARD_INPUT, streams, 'text');
  const isWanted = selectionOf(options);
  const finder = new AddressFinder();
  const sink = dataSink(streams.stdout);
  let isAnyFound = false;
  for (const file of files) {
    const name =
      files.length > 1 && options.filename !== false ? `${file === STANDARD_INPUT ? '(standard input)' : file}:` : '';
    const parts: Buffer[] = [];
    const onLine = (bytes: Buffer, start: number, end: number) => {
      finder.end = start;
      for (;;) {
        const address = finder.next(bytes, finder.end, end);
        if (address === undefined) return;
        if (!isWanted(address)) continue;
        isAnyFound = true;
        if (options.onlyMatching === true) parts.push(Buffer.from(`${name}${formatAddress(address)}\n`));
        else {
          // The bytes of the line as they are: a log may have any encoding.
          parts.push(Buffer.from(name), bytes.subarray(start, end), LINE_END);
          return;
        }
      }
    };
    const write = async () => {
      if (parts.length > 0) await sink.write(Buffer.concat(parts.splice(0)));
    };
    await readLines(file, streams.stdin, onLine, write).catch((error) => {
      throw error instanceof InputError ? new UsageError(error.message) : error;
    });
  }
  return isAnyFound ? 0 : 1;
}

const LINE_END = Buffer.from('\n');

function selectionOf({ ipv4, ipv6, excludeReserved }: GrepOptions): (address: Address) => boolean {
  // Both together select both, as if neither were given.
  const version = ipv4 === ipv6 ? undefined : ipv4 === true ? 4 : 6;
  return (address) =>
    (version === undefined || address.version === version) &&
    !(excludeReserved === true && findSpecialPurpose(address) !== undefined);
}
