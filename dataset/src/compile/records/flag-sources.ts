/** Which sources of an input decide each flag. */
import { oldestDay } from '../../data-age.ts';
import type { Drive } from '../../feeds/feed.ts';
import { FLAG_SUBJECTS, type FlagSource, type FlagSources, type FlagSubject, type Source } from '../../record.ts';
import type { CompileInput } from '../input/compile-input.ts';

/** What decides these; any other flag is what a list decides. */
const DRIVES_OF: Partial<Record<FlagSubject, readonly Drive[]>> = {
  is_datacenter: ['is_datacenter', 'cloud_provider', 'connection_type'],
  is_residential: ['connection_type'],
  is_mobile: ['connection_type'],
  blocklists: ['blocklist', 'criminal_netblock'],
};
/** Flags that the table of networks, the rules on names and the signals decide as well. Signals do not know phones. */
const BY_NETWORK: readonly FlagSubject[] = ['is_datacenter', 'is_residential', 'is_mobile'];

export function flagSourcesOf(input: CompileInput): FlagSources {
  return Object.fromEntries(FLAG_SUBJECTS.map((subject) => [subject, flagSource(input, subject)])) as FlagSources;
}

function flagSource({ overlays, networkLists, tables }: CompileInput, subject: FlagSubject): FlagSource {
  const deciders: readonly string[] = DRIVES_OF[subject] ?? [subject];
  const isOf = (drives: readonly Drive[] = []) => drives.some((drive) => deciders.includes(drive));
  const decides = ({ drives }: { readonly drives: readonly Drive[] }) => isOf(drives);
  const lists = [...overlays.filter(({ isTable }) => isTable !== true), ...networkLists];
  const feeds = lists.filter(decides);
  const tooOld = lists.filter((list) => isOf(list.tooOld)).map(({ source }) => source);
  const own: Source[] = overlays
    .filter(({ isTable }) => isTable === true)
    .filter(decides)
    .map(({ source }) => source);
  if (BY_NETWORK.includes(subject)) own.push(tables.networks, tables['name-rules']);
  if (subject === 'is_datacenter' || subject === 'is_residential') own.push(tables['type-signals']);
  if (subject === 'is_vpn') own.push(tables.networks);
  const sources = [...feeds.map(({ source }) => source), ...own, ...tooOld];
  // A table beside a feed does not make the feed older: it only fills gaps.
  const deciding = feeds.length > 0 ? feeds.map(({ source }) => source) : own.length > 0 ? own : tooOld;
  const oldest = oldestDay(deciding.map(({ as_of }) => as_of));
  return {
    // Lists that are all too old are still lists: the flag is not unknown for want of a source.
    from: feeds.length > 0 ? 'feeds' : own.length > 0 ? 'tables' : tooOld.length > 0 ? 'feeds' : 'none',
    sources: [...new Set(sources.map(({ id }) => id))],
    ...(oldest === undefined ? {} : { as_of: oldest }),
  };
}
