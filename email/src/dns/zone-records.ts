// DNS records as an object literal, with empty non-terminals and wildcards (RFC 4592 §2.2, §3.3) and DNAME (RFC 6672).
import type { RecordType } from './answer.ts';

export type ZoneEntry = {
  /** A list is one record of several strings. */
  readonly TXT?: readonly (string | readonly string[])[];
  readonly MX?: readonly (readonly [preference: number, exchange: string])[];
  readonly A?: readonly string[];
  readonly AAAA?: readonly string[];
  /** As in a zone file: `3 1 1 0c72…`. */
  readonly TLSA?: readonly string[];
  readonly PTR?: readonly string[];
  readonly NS?: readonly string[];
  readonly CNAME?: string;
  /** Names below this one are aliases of the same names below another; this name itself is not. */
  readonly DNAME?: string;
  /** A resolver that validates authenticates what it answers for this name. */
  readonly isSigned?: true;
  /** Its signatures are wrong: a resolver that validates answers SERVFAIL, unless it is asked not to validate. */
  readonly isBogus?: true;
  /** Why a question for this name fails: for every type, or by type. */
  readonly fail?: string | Partial<Record<RecordType, string>>;
};

/** By name, in any case. `*.example.com` answers for names below example.com that are absent. */
export type ZoneRecords = Readonly<Record<string, ZoneEntry>>;

const NO_RECORDS: ZoneEntry = {};

/** The entry that answers for a name; `undefined` if the name does not exist. */
export function indexZone(records: ZoneRecords): (name: string) => ZoneEntry | undefined {
  const entries = new Map(Object.entries(records).map(([name, entry]) => [canonical(name), entry]));
  // A name exists if anything below it does.
  for (const name of [...entries.keys()])
    for (let parent = parentOf(name); parent !== ''; parent = parentOf(parent))
      if (!entries.has(parent)) entries.set(parent, NO_RECORDS);

  const redirected = [...entries].flatMap(([owner, { DNAME }]) => (DNAME === undefined ? [] : [{ owner, DNAME }]));
  // The highest one hides all that is below it.
  redirected.sort((a, b) => a.owner.length - b.owner.length);

  return (text) => {
    const name = canonical(text);
    const redirection = redirected.find(({ owner }) => name.endsWith(`.${owner}`));
    if (redirection !== undefined)
      return { CNAME: `${name.slice(0, -redirection.owner.length)}${canonical(redirection.DNAME)}` };
    const entry = entries.get(name);
    if (entry !== undefined) return entry;
    // Only the wildcard directly below the closest existing name applies.
    let encloser = parentOf(name);
    while (encloser !== '' && !entries.has(encloser)) encloser = parentOf(encloser);
    return entries.get(encloser === '' ? '*' : `*.${encloser}`);
  };
}

/** Lower case, no final dot; the root stays `.`. */
export function canonical(name: string): string {
  const lower = name.toLowerCase();
  return lower.length > 1 && lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

export function failureOf(entry: ZoneEntry, type: RecordType): string | undefined {
  return typeof entry.fail === 'object' ? entry.fail[type] : entry.fail;
}

function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}
