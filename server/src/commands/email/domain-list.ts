/** Many domains, from arguments, a file or standard input. Unlike the API, it accepts addresses, URLs and the like. */
import type { Readable } from 'node:stream';
import { normalizeDomain } from '@whence/email/domain-name';
import { inputName, textLines } from '../../enrich/input.ts';
import { UsageError } from '../../terminal/exit.ts';

/** `domain` is undefined for a line that names none: the others are checked all the same. */
export type ListedDomain = { readonly text: string; readonly domain: string | undefined };

/** A million domains take about 20 MB. */
const MAX_LIST_CHARACTERS = 64 * 1024 * 1024;
/** How much of a line is read, and quoted in a message. */
const MAX_LINE_CHARACTERS = 300;

/** Refuses all if one is not a domain: arguments are few, and typed. */
export function domainsOfArguments(texts: readonly string[]): ListedDomain[] {
  const wrong = texts.filter((text) => domainOf(text) === undefined);
  if (wrong.length > 0) throw new UsageError(`invalid domain: ${wrong.map((text) => JSON.stringify(text)).join(', ')}`);
  return withoutRepetitions(texts);
}

/** One per line. Blank lines, and lines that begin with `#`, are skipped. `file` may be STANDARD_INPUT. */
export async function readDomains(file: string, stdin: () => Readable): Promise<ListedDomain[]> {
  const listed: string[] = [];
  let characters = 0;
  for await (const lines of textLines(file, stdin, MAX_LINE_CHARACTERS))
    for (const line of lines.flatMap((text) => text.split('\r')).map((text) => text.trim())) {
      characters += line.length;
      if (line !== '' && !line.startsWith('#')) listed.push(line);
      if (characters > MAX_LIST_CHARACTERS) throw new UsageError(`${inputName(file)} has more than 64 MiB; split it`);
    }
  if (listed.length === 0) throw new UsageError(`${inputName(file)} lists no domain; write one on each line`);
  return withoutRepetitions(listed);
}

/** The first of each, in order. */
function withoutRepetitions(texts: readonly string[]): ListedDomain[] {
  const byName = new Map<string, ListedDomain>();
  for (const text of texts) {
    const domain = domainOf(text);
    const name = domain ?? text;
    if (!byName.has(name)) byName.set(name, { text: text.slice(0, MAX_LINE_CHARACTERS), domain });
  }
  return [...byName.values()];
}

/** The domain of `Name <user@example.com>`, `https://example.com/x`, `example.com:25`, `_dmarc.example.com` etc. */
function domainOf(text: string): string | undefined {
  const written = text.trim().replace(QUOTES, '').trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(written))
    return URL.canParse(written) ? normalizeDomain(new URL(written).hostname) : undefined;
  const address = written.slice(written.lastIndexOf('@') + 1).replace(/^mailto:/i, '');
  const name = address
    .replace(/(?<![>)\]])[>)\]]+$/, '')
    .replace(/(?<![,;])[,;]+$/, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d{1,5}$/, '');
  return normalizeDomain(withoutServiceLabels(name));
}

/** At either end, straight or typographic; beside them, the commas of a list. */
const QUOTES = /^["'`\u2018-\u201f\u2039\u203a\u00ab\u00bb,;]+|["'`\u2018-\u201f\u2039\u203a\u00ab\u00bb,;]+$/g;

/** `_dmarc`, `selector._domainkey`, `_smtp._tls` and other names of records are below the domain that is meant. */
function withoutServiceLabels(name: string): string {
  const labels = name.split('.');
  const last = labels.findLastIndex((label) => label.startsWith('_'));
  return labels.slice(last + 1).join('.');
}
