/**
 * What a check asks of DNS, and what it may be told. Absence is a value and so is failure: a resolver never throws, because a record that could
 * not be read must never be taken for one that is missing.
 */
export type Answer<T> =
  | { readonly kind: 'found'; readonly records: readonly T[]; readonly aliases: readonly string[] }
  /** The name exists, but has no record of this type (or only an alias to such a name). */
  | { readonly kind: 'nodata' }
  /** The name does not exist; `alias` if it is an alias to a name that does not. */
  | { readonly kind: 'nxdomain'; readonly alias?: string }
  /** SERVFAIL, REFUSED, FORMERR, a timeout, a broken answer: nothing is known. `reason` is for people, e.g. `SERVFAIL`, `timeout`. */
  | { readonly kind: 'failure'; readonly reason: string };

export type MxHost = {
  readonly preference: number /** Lower case, no final dot; `.` for a null MX. */;
  readonly exchange: string;
};

export type RecordType = 'TXT' | 'MX' | 'A' | 'AAAA';

/** Names are in A-label form, without a final dot. `aliases` of a found answer are the CNAMEs that were followed, in order. */
export type Resolver = {
  /** The strings of each record joined with nothing between them (RFC 7208 §3.3, RFC 6376 §3.6.2.2); bytes as Latin-1 characters. */
  txt(name: string): Promise<Answer<string>>;
  mx(name: string): Promise<Answer<MxHost>>;
  a(name: string): Promise<Answer<string>>;
  aaaa(name: string): Promise<Answer<string>>;
};
