/** A TLS report (RFC 8460) as its reporter wrote it. */

/** Failures of the domain's own hosts: what they lose once senders insist on TLS. */
export const HOST_FAILURES = [
  'starttls-not-supported',
  'certificate-expired',
  'certificate-host-mismatch',
  'certificate-not-trusted',
  'validation-failure',
  'tlsa-invalid',
  'dnssec-invalid',
] as const;
export type HostFailure = (typeof HOST_FAILURES)[number];

/** Failures before any host was judged. */
export const POLICY_FAILURES = [
  'sts-policy-fetch-error',
  'sts-policy-invalid',
  'sts-webpki-invalid',
] as const;
export type PolicyFailure = (typeof POLICY_FAILURES)[number];

/**
 * `dane-required`: the sender insists on DANE, which the domain need not have. `other`: sessions
 * that failed for a reason that the report does not say, or says in words of its own.
 */
export const TLS_FAILURES = [
  ...HOST_FAILURES,
  ...POLICY_FAILURES,
  'dane-required',
  'other',
] as const;
export type TlsFailure = (typeof TLS_FAILURES)[number];
export const TLS_RESULTS = ['success', ...TLS_FAILURES] as const;
export type TlsResult = (typeof TLS_RESULTS)[number];

export const TLS_POLICIES = ['sts', 'tlsa', 'no-policy-found'] as const;
export type TlsPolicyType = (typeof TLS_POLICIES)[number];

/** Sessions with the same policy, host and result. */
export type TlsSum = {
  readonly policy: TlsPolicyType;
  /** The MX host: lower case, no final dot; empty if the report does not say. */
  readonly host: string;
  readonly result: TlsResult;
  readonly sessions: number;
};

export type TlsReport = {
  /** As the report has it, as is `reporterEmail`: only the domain of that is proven. */
  readonly reporter: string;
  /** Empty if absent. */
  readonly reporterEmail: string;
  readonly reportId: string;
  /** Lower case, A-labels, no final dot. */
  readonly domain: string;
  /** Seconds since 1970. */
  readonly begin: number;
  readonly end: number;
  readonly sums: readonly TlsSum[];
};
