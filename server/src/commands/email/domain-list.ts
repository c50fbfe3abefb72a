/** Many domains, from the arguments, a file or standard input. */
import type { Readable } from 'node:stream';
import { InputError, openInput } from '../../enrich/input.ts';
import { CommandError, UsageError } from '../../terminal/exit.ts';
import { domainOf } from './domain-argument.ts';

/** `domain` is undefined for a line that names none: the others are checked all the same. */
export type ListedDomain = { readonly text: string; readonly domain: string | undefined };

export const STANDARD_INPUT = '-';

/** A million domains take about 20 MB. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;
/** Of a line that is quoted in a message. */
const MAX_LINE_CHARACTERS = 300;

/** Refuses all if one is not a domain: arguments are few, and typed. */
export function domainsOfArguments(texts: readonly string[]): ListedDomain[] {
  const wrong = texts.filter((text) => domainOf(text) === undefined);
  if (wrong.length > 0) throw new UsageError(`invalid domain: ${wrong.map((text) => JSON.stringify(text)).join(', ')}`);
  return withoutRepetitions(texts.map(toListed));
}

/** One per line. Blank lines, and lines that begin with `#`, are skipped. `file` may be STANDARD_INPUT. */
export async function readDomains(file: string, stdin: () => Readable): Promise<ListedDomain[]> {
  const text = await readText(file, stdin);
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const listed = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  if (listed.length === 0) throw new UsageError(`${nameOf(file)} lists no domain; write one on each line`);
  return withoutRepetitions(listed.map(toListed));
}

async function readText(file: string, stdin: () => Readable): Promise<string> {
  try {
    const input = await openInput(file === STANDARD_INPUT ? undefined : file, stdin);
    try {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of input.chunks) {
        bytes += chunk.length;
        if (bytes > MAX_LIST_BYTES) throw new UsageError(`${nameOf(file)} has more than 64 MiB; split it`);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString();
    } finally {
      input.close();
    }
  } catch (error) {
    throw error instanceof InputError ? new CommandError(error.message) : error;
  }
}

function nameOf(file: string): string {
  return file === STANDARD_INPUT ? 'standard input' : file;
}

function toListed(text: string): ListedDomain {
  return { text: text.slice(0, MAX_LINE_CHARACTERS), domain: domainOf(text) };
}

/** The first of each, in order. */
function withoutRepetitions(listed: readonly ListedDomain[]): ListedDomain[] {
  const byName = new Map<string, ListedDomain>();
  for (const entry of listed) {
    const name = entry.domain ?? entry.text;
    if (!byName.has(name)) byName.set(name, entry);
  }
  return [...byName.values()];
}
