/**
 * DNS records as an object literal, answered with RFC 4592 semantics: empty non-terminals (§2.2)
 * and wildcards (§3.3). The
 * code is independent of `@whence/email`, whose tests use it to find mistakes there.
 */
export type RecordType = 'TXT' | 'MX' | 'A' | 'AAAA' | 'TLSA' | 'PTR' | 'NS';

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
  /** Makes every name below this one an alias (RFC 6672). */
  readonly DNAME?: string;
  /** Answers for this name are SERVFAIL, unless the query has the CD bit. */
  readonly isBogus?: true;
  /** The AD bit is set in answers for this name. */
  readonly isSigned?: true;
  /** Why a question for this name fails: for every type, or by type. */
  readonly fail?: string | Partial<Record<RecordType, string>>;
};

/** By name, in any case. `*.example.com` answers for names below example.com that are absent. */
export type ZoneRecords = Readonly<Record<string, ZoneEntry>>;

/** Finds the entry that answers for a canonical name; `undefined` means NXDOMAIN. */
export function indexZone(records: ZoneRecords): (name: string) => ZoneEntry | undefined {
  const entries = new Map(Object.entries(records).map(([name, entry]) => [canonical(name), entry]));
  const existing = new Set([...entries.keys()].flatMap(withParents));
  return (name) => {
    const [, ...parents] = withParents(name);
    const owner = parents.findLast((parent) => entries.get(parent)?.DNAME !== undefined);
    if (owner !== undefined)
      return { CNAME: name.slice(0, -owner.length) + entries.get(owner)?.DNAME };
    if (existing.has(name)) return entries.get(name) ?? {};
    const encloser = withParents(name).find((parent) => existing.has(parent));
    return entries.get(encloser === undefined ? '*' : `*.${encloser}`);
  };
}

/** Lower case, without the final dot; the root stays `.`. */
export function canonical(name: string): string {
  return name.toLowerCase().replace(/(?<=.)\.$/, '');
}

export function failureOf({ fail }: ZoneEntry, type: RecordType): string | undefined {
  return typeof fail === 'object' ? fail[type] : fail;
}

/** `a.b.c`, `b.c`, `c`. */
function withParents(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
}
