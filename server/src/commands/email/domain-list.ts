/**
 * Many domains, from arguments, a file or standard input. Unlike the API, it accepts addresses,
 * URLs and the like.
 */
import { normalizeDomain } from '@whence/email/domain-name';
import { InputError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { type Entry, isFile, listedArguments } from '../lookup/listed-arguments.ts';

/** `domain` is undefined for a line that names none: the others are checked all the same. */
export type ListedDomain = { readonly text: string; readonly domain: string | undefined };

/** A million domains take about 20 MB. */
const MAX_LIST_CHARACTERS = 64 * 1024 * 1024;
/** How much of a line is quoted in a message. */
const MAX_QUOTED_CHARACTERS = 300;
/** Ends of file names that are no top-level domains. */
const LIKE_A_LIST = /\.(?:txt|csv|tsv|list|lst|log|json|ndjson|gz)$/i;

/** The first of each, in order. */
export async function listDomains(
  texts: readonly string[],
  stdin: CommandStreams['stdin'],
): Promise<ListedDomain[]> {
  const { entries } = listedArguments(texts, parseArgument, stdin, 'domains', parseLine);
  const byName = new Map<string, ListedDomain>();
  let characters = 0;
  for await (const group of entries())
    for (const entry of group) {
      const { text, domain } =
        entry.kind === 'item' ? entry.item : { text: entry.text, domain: undefined };
      characters += text.length;
      if (characters > MAX_LIST_CHARACTERS)
        throw new InputError('the list has more than 64 MiB; split it');
      const name = domain ?? text;
      if (!byName.has(name))
        byName.set(name, { text: text.slice(0, MAX_QUOTED_CHARACTERS), domain });
    }
  return [...byName.values()];
}

/**
 * `lists/example.com` is a file if there is one; `example.com` is a domain beside its zone file.
 */
function parseArgument(text: string): Entry<ListedDomain> {
  const isPath = LIKE_A_LIST.test(text) || (text.includes('/') && isFile(text));
  return isPath ? invalid(text) : parseLine(text);
}

function parseLine(text: string): Entry<ListedDomain> {
  const domain = domainOf(text);
  return domain === undefined ? invalid(text) : { kind: 'item', item: { text, domain } };
}

const invalid = (text: string): Entry<ListedDomain> => ({
  kind: 'invalid',
  text,
  error: 'invalid domain',
  code: 'INVALID_DOMAIN',
});

/**
 * The domain of `Name <user@example.com>`, `https://example.com/x`, `example.com:25`,
 * `_dmarc.example.com` etc.
 */
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
const QUOTES =
  /^["'`\u2018-\u201f\u2039\u203a\u00ab\u00bb,;]+|["'`\u2018-\u201f\u2039\u203a\u00ab\u00bb,;]+$/g;

/**
 * `_dmarc`, `selector._domainkey`, `_smtp._tls` and other names of records are below the domain
 * that is meant.
 */
function withoutServiceLabels(name: string): string {
  const labels = name.split('.');
  const last = labels.findLastIndex((label) => label.startsWith('_'));
  return labels.slice(last + 1).join('.');
}
