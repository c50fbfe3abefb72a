/**
 * Absence and failure are values: a record that could not be read must not be taken for one that is
 * missing.
 */
export type Answer<T> =
  | (Authenticated & {
      readonly kind: 'found';
      readonly records: readonly T[];
      readonly aliases: readonly string[];
    })
  /** The name exists, but has no record of this type; `alias` if it is an alias to such a name. */
  | (Authenticated & { readonly kind: 'nodata'; readonly alias?: string })
  /** The name does not exist; `alias` if it is an alias to a name that does not. */
  | (Authenticated & { readonly kind: 'nxdomain'; readonly alias?: string })
  | Failure;

/**
 * Authenticated with DNSSEC by the resolver (AD bit, RFC 4035 §3.2.3). Absent: not signed, or not
 * validated.
 */
export type Authenticated = { readonly isAuthenticated?: true };

/**
 * `dns_temporary_failure`: an error code, a timeout, a broken answer. `dns_budget_exhausted`: see
 * dns/budget.ts.
 */
export type Failure = {
  readonly kind: 'failure';
  readonly code: FailureCode;
  readonly reason: string;
};
export type FailureCode = 'dns_temporary_failure' | 'dns_budget_exhausted' | 'alias_too_long';

/**
 * The name at the end of the aliases of the asked name; undefined if it is no alias, or not known
 * to be one.
 */
export function aliasOf(answer: Answer<unknown>): string | undefined {
  if (answer.kind === 'found') return answer.aliases.at(-1);
  return answer.kind === 'failure' ? undefined : answer.alias;
}

/** Unlike a used-up budget, which is about the domain. */
export function isTemporaryFailure(answer: Answer<unknown>): answer is Failure {
  return answer.kind === 'failure' && answer.code === 'dns_temporary_failure';
}

export function failure(reason: string, code: FailureCode = 'dns_temporary_failure'): Failure {
  return { kind: 'failure', code, reason };
}

export type MxHost = {
  readonly preference: number /** Lower case, no final dot; `.` for a null MX. */;
  readonly exchange: string;
};

export type CheckedType = 'TXT' | 'MX' | 'A' | 'AAAA' | 'TLSA';
/**
 * PTR is asked for addresses, outside of checks; NS, whether a name below the domain is delegated.
 */
export type RecordType = CheckedType | 'PTR' | 'NS';

/**
 * Names are A-labels without a final dot. `aliases` of a found answer are the CNAMEs that were
 * followed, in order.
 */
export type Resolver = {
  /**
   * Strings are joined (RFC 7208 §3.3, RFC 6376 §3.6.2.2), bytes Latin-1. Cut only beyond
   * MAX_TXT_BYTES.
   */
  txt(name: string): Promise<Answer<string>>;
  mx(name: string): Promise<Answer<MxHost>>;
  a(name: string): Promise<Answer<string>>;
  aaaa(name: string): Promise<Answer<string>>;
  /** As in a zone file (RFC 6698 §2.2), with the data in lower case: `3 1 1 0c72…`. */
  tlsa(name: string): Promise<Answer<string>>;
  /**
   * Without DNSSEC validation by the resolver: it answers also if the signatures of the zone are
   * wrong.
   */
  unchecked?(name: string, type: RecordType): Promise<Answer<RecordData>>;
};

/**
 * `queries`: questions sent for this check, without second tries and those another check has sent.
 */
export type CheckResolver = Resolver & {
  readonly queries: number;
  /**
   * Names of an address, in lower case: `ptr('1.2.0.192.in-addr.arpa')`. Other names in `arpa` do
   * not exist.
   */
  ptr(reverseName: string): Promise<Answer<string>>;
};

export type RecordData = string | MxHost;

/**
 * `aliases`: the CNAMEs followed, in order. `ttl` in seconds, 0 if the reply must not be cached.
 */
export type Reply =
  | (Authenticated & {
      readonly kind: 'found';
      readonly records: readonly RecordData[];
      readonly aliases: readonly string[];
      readonly ttl: number;
    })
  /**
   * `alias`: the last alias has not been looked up yet. `nodata` and `nxdomain` refer to the last
   * alias, if any.
   */
  | (Authenticated & {
      readonly kind: 'nodata' | 'nxdomain' | 'alias';
      readonly aliases: readonly string[];
      readonly ttl: number;
    })
  | Failure;
