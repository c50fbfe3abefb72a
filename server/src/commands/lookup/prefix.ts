/** `wh prefix CIDR…`: what is announced inside prefixes, as `GET /v1/prefix` answers. */
import {
  describePrefix,
  type PrefixContent,
  type PrefixRequest,
  parsePrefixRequest,
} from '../../lookup/prefix-content.ts';
import { WalkScratch, walkAtOnce } from '../../lookup/prefix-walk.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { type CommandStreams, StreamSink } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { type Style, styleOf } from '../../terminal/style.ts';
import { formatCount, formatDetails, formatTable } from '../../terminal/table.ts';
import { flagName } from '../../vocabulary.ts';
import type { DataSettings } from '../embedded-data.ts';
import { openOverridden } from '../local-dataset.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import {
  type Entry,
  eachEntry,
  type Invalid,
  listedArguments,
  printInvalid,
} from './listed-arguments.ts';

/** Rows of each list that people see; --json has all. */
const SHOWN_ROWS = 10;

type PrefixSource = (request: PrefixRequest, text: string) => Promise<PrefixContent>;
type PrefixEntry = { readonly request: PrefixRequest; readonly text: string };

/** Exit code 1 if an entry is invalid, or nothing in a prefix is announced. */
export async function prefixCommand(
  settings: DataSettings,
  texts: readonly string[],
  options: RemoteOptions & { json?: boolean },
  { stdin, stdout, stderr, environment }: CommandStreams,
): Promise<ExitCode> {
  const listed = listedArguments(texts, parseEntry, stdin, 'prefixes');
  const source = await openSource(options, environment, {
    local: () => localSource(settings),
    remote: async (server) => (await import('./remote-lookups.ts')).remotePrefixSource(server),
  });
  const style = styleOf(stdout, environment);
  const sink = new StreamSink(stdout);
  const print = async ({ request, text }: PrefixEntry) => {
    const content = await source(request, text);
    await sink.write(options.json === true ? jsonLine(content) : formatContent(content, style));
    return content.announced_share > 0;
  };
  const reject = ({ text, error, code }: Invalid) =>
    sink.write(jsonLine({ prefix: text, error, code }));
  return eachEntry(listed, print, options.json === true ? reject : printInvalid(stderr));
}

function parseEntry(text: string): Entry<PrefixEntry> {
  const request = parsePrefixRequest(text);
  if (request !== undefined) return { kind: 'item', item: { request, text } };
  return {
    kind: 'invalid',
    text,
    error: 'invalid prefix',
    code: 'INVALID_PREFIX',
    hint: 'write 192.0.2.0/24',
  };
}

async function localSource(settings: DataSettings): Promise<PrefixSource> {
  const dataset = await openOverridden(settings);
  const scratch = new WalkScratch(dataset);
  return async (request) => walkAtOnce(describePrefix(dataset, request, scratch));
}

function formatContent(content: PrefixContent, style: Style): string {
  const { prefix, announced_share, parts, networks, types, countries, flags } = content;
  const head = `${style.bold(prefix)}\n`;
  if (announced_share === 0) return `${head}  nothing in it is announced\n\n`;
  const lists = [
    sharesOf('networks', networks, ({ asn, asn_name }) => `AS${asn} ${asn_name}`),
    sharesOf('types', types, ({ connection_type }) => connection_type),
    sharesOf('countries', countries, ({ country }) => country),
    sharesOf('flags', flags, ({ flag }) => flagName(flag)),
  ];
  const rows = parts
    .slice(0, SHOWN_ROWS)
    .map((part) => [
      part.first === part.last ? part.first : `${part.first} - ${part.last}`,
      `AS${part.asn}`,
      part.country,
      part.connection_type,
      percent(part.share),
      part.flags.map(flagName).join(', '),
    ]);
  const columns = ['addresses', 'network', 'country', 'type', 'share', 'flags'];
  const more =
    parts.length > SHOWN_ROWS
      ? `  ${formatCount(parts.length - SHOWN_ROWS)} more with --json\n`
      : '';
  const details = formatDetails([['announced', percent(announced_share)], ...lists.flat()], style);
  return `${head}${details}\n${formatTable(rows, style, { head: columns, indent: 2, shrink: true })}${more}\n`;
}

function sharesOf<Item extends { readonly share: number }>(
  label: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
): [label: string, value: string][] {
  const shown = items.slice(0, SHOWN_ROWS).map((item) => `${nameOf(item)}, ${percent(item.share)}`);
  const rest =
    items.length > SHOWN_ROWS ? [`${formatCount(items.length - SHOWN_ROWS)} more with --json`] : [];
  const values = shown.length === 0 ? ['none'] : [...shown, ...rest];
  return values.map((value, i) => [i === 0 ? label : '', value]);
}

/** Two significant digits below 1%: a network may have a very small share of an IPv6 prefix. */
function percent(share: number): string {
  const value = share * 100;
  return `${value >= 1 || value === 0 ? Number(value.toFixed(1)) : Number(value.toPrecision(2))}%`;
}
