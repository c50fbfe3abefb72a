// What each flag is decided from. A flag that no source knows is false everywhere, which must not be taken for "it is
// not". A list counts by its own date, so a flag can become dated while a server runs.
import { isTooOld } from './data-age.ts';
import { FLAG_FACTS, FLAG_SUBJECTS, type FlagSubject, type Meta, type Source, type ThreatKnowledge } from './record.ts';

const SHORT_LIVED: ReadonlySet<FlagSubject> = new Set(
  FLAG_SUBJECTS.filter((subject) => subject === 'blocklists' || FLAG_FACTS[subject].isShortLived),
);

type FlagMeta = Pick<Meta, 'flag_sources' | 'sources'>;

/** `tooOld`: sources of dated flags that no longer count. */
export type FlagKnowledge = {
  readonly unknown: readonly FlagSubject[];
  readonly dated: readonly FlagSubject[];
  readonly tooOld: Readonly<Partial<Record<FlagSubject, readonly Source[]>>>;
};

/** `unknown`: no source has them, or none counts. `dated`: a list is too old, or only a table of a past date knows. */
export function flagKnowledge({ flag_sources, sources }: FlagMeta, day: string): FlagKnowledge {
  const unknown: FlagSubject[] = [];
  const dated: FlagSubject[] = [];
  const tooOld: Partial<Record<FlagSubject, readonly Source[]>> = {};
  for (const subject of FLAG_SUBJECTS) {
    const { from, sources: ids } = flag_sources[subject];
    const deciding = sources.filter(({ id }) => ids.includes(id));
    const old = deciding.filter((source) => isTooOld(source, day));
    if (from === 'none' || (from === 'feeds' && old.filter(isList).length === deciding.length)) unknown.push(subject);
    if (old.length > 0) tooOld[subject] = old;
    if (old.length > 0 || (from === 'tables' && SHORT_LIVED.has(subject))) dated.push(subject);
  }
  return { unknown, dated, tooOld };
}

/** A table of this program knows a few addresses of a past date, so it does not count here. */
export function threatKnowledge({ threat_lists, sources }: ThreatMeta, day: string): ThreatKnowledge {
  const current = new Set(sources.flatMap((source) => (isList(source) && !isTooOld(source, day) ? source.id : [])));
  // A version that was built before it had these is taken for one without lists, until the next build.
  const isKnown = (family: 'ipv4' | 'ipv6') => threat_lists?.[family].some((id) => current.has(id)) ?? false;
  return { ipv4: isKnown('ipv4'), ipv6: isKnown('ipv6') };
}

type ThreatMeta = Pick<Meta, 'threat_lists' | 'sources'>;

const isList = ({ is_table }: Source): boolean => is_table !== true;
