/** `wh watch add|list|remove|accept`: domains that a server checks once a day, and their events. */
import type { Config } from '../../settings/config.ts';
import { type ExitCode, NegativeAnswer, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { print, type Style } from '../../terminal/style.ts';
import { type Cell, countOf, formatTable } from '../../terminal/table.ts';
import type { Severity } from '../../vocabulary.ts';
import { MAX_AT_ONCE, type ShownDomain, type ShownEvent } from '../../watch/watch-schema.ts';
import { listDomains } from '../email/domain-list.ts';
import type { RemoteOptions } from '../remote/open-source.ts';
import { allOf, withWatchSource } from './watch-source.ts';

type Options = RemoteOptions & { readonly json?: boolean };
export type WatchCommand = CommandStreams & { readonly storage: () => Promise<Config> };

/** How many wrong lines of a list are quoted. */
const MAX_QUOTED = 5;

export async function watchAdd(
  texts: readonly string[],
  {
    tags,
    note,
    ...options
  }: Options & {
    readonly tags?: readonly string[];
    readonly note?: string;
    readonly new?: boolean;
  },
  command: WatchCommand,
): Promise<ExitCode> {
  const domains = await namesOf(texts, command);
  const more = { ...(tags && { tags }), ...(note !== undefined && { note }) };
  return withSource(options, command, async (source) => {
    const added: string[] = [];
    const watched: string[] = [];
    for (const some of inParts(domains)) {
      const answer = await source.add(some, more);
      added.push(...answer.added);
      watched.push(...answer.watched);
    }
    const already = watched.length === 0 ? '' : `; ${watched.length} were watched already`;
    return print(
      command,
      options,
      { added, watched },
      () => `${countOf(added.length, 'domain')} watched from now on${already}\n`,
    );
  });
}

export async function watchRemove(
  texts: readonly string[],
  options: Options,
  command: WatchCommand,
): Promise<ExitCode> {
  const domains = await namesOf(texts, command);
  return withSource(options, command, async (source) => {
    const removed: string[] = [];
    for (const some of inParts(domains)) removed.push(...(await source.remove(some)).removed);
    if (removed.length === 0) throw new NegativeAnswer('none of these domains is watched');
    const text = () => `${countOf(removed.length, 'domain')} no longer watched\n`;
    return print(command, options, { removed }, text);
  });
}

export async function watchAccept(
  id: string,
  options: Options,
  command: WatchCommand,
): Promise<ExitCode> {
  return withSource(options, command, async (source) => {
    const event = await source.accept(id);
    const text = () => `${event.domain}: ${event.code} is accepted; this is expected from now on\n`;
    return print(command, options, event, text);
  });
}

export async function watchList(
  { events: isOfEvents, tag, ...options }: Options & { events?: boolean; tag?: string },
  command: WatchCommand,
): Promise<ExitCode> {
  if (isOfEvents === true && tag !== undefined)
    throw new UsageError('--events and --tag cannot be combined');
  return withSource(options, command, async (source) => {
    if (isOfEvents === true) {
      const events = await allOf('events', source.openEvents);
      return print(command, options, { events }, (style) => eventsText(events, style));
    }
    const more = tag === undefined ? {} : { tag };
    const domains = await allOf('domains', (page) => source.domains({ ...page, ...more }));
    return print(command, options, { domains }, (style) => domainsText(domains, style));
  });
}

const withSource = (
  options: Options & { readonly new?: boolean },
  { storage, environment }: WatchCommand,
  work: Parameters<typeof withWatchSource>[2],
) => withWatchSource(options, { config: storage, environment }, work);

/** All or none: a list with a wrong line is corrected first. */
async function namesOf(texts: readonly string[], { stdin }: CommandStreams): Promise<string[]> {
  const listed = await listDomains(texts, stdin);
  const wrong = listed.filter(({ domain }) => domain === undefined).map(({ text }) => text);
  if (wrong.length === 0) return listed.flatMap(({ domain }) => domain ?? []);
  const quoted = wrong.slice(0, MAX_QUOTED).map((text) => JSON.stringify(text));
  const others = wrong.length > MAX_QUOTED ? ` and ${wrong.length - MAX_QUOTED} more` : '';
  throw new UsageError(`not a domain: ${quoted.join(', ')}${others}`);
}

function* inParts(domains: readonly string[]): Generator<string[]> {
  for (let at = 0; at < domains.length; at += MAX_AT_ONCE)
    yield domains.slice(at, at + MAX_AT_ONCE);
}

function domainsText(domains: readonly ShownDomain[], style: Style): string {
  if (domains.length === 0)
    return `no domain is watched; ${PROGRAM} watch add example.com adds the first\n`;
  const rows = domains.map((watched): Cell[] => [
    watched.domain,
    watched.grade ?? '',
    watched.worst === undefined
      ? '0'
      : [String(watched.open_events), paintOf(watched.worst, style)],
    watched.policy ?? '',
    watched.checked_at?.slice(0, 16).replace('T', ' ') ?? 'not yet',
    watched.tags.join(' '),
  ]);
  const head = ['domain', 'grade', 'open events', 'policy', 'checked (UTC)', 'tags'];
  return formatTable(rows, style, { head });
}

function eventsText(events: readonly ShownEvent[], style: Style): string {
  if (events.length === 0) return 'no event is open\n';
  const rows = events.map((event): Cell[] => [
    event.id,
    [event.severity, paintOf(event.severity, style)],
    event.domain === '' ? 'this deployment' : event.domain,
    event.first_seen.slice(0, 10),
    event.sentence,
  ]);
  return formatTable(rows, style, { head: ['event', 'severity', 'domain', 'since', 'what'] });
}

function paintOf(severity: Severity, { red, yellow, dim }: Style) {
  return { high: red, medium: yellow, low: dim }[severity];
}
