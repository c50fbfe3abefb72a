// MTA-STS (RFC 8461): a TXT record says that there is a policy, and the policy, fetched over HTTPS,
// which MX hosts present a certificate that senders must insist on.
import { isPublicAddress } from '../address-scope.ts';
import type { Answer, Resolver } from '../dns/answer.ts';
import { absenceOf, dnsFailure, type Finding, judged } from '../findings/finding.ts';
import { tagValue } from '../records/tag-list.ts';
import type { MtaStsReport } from '../report.ts';
import { excerpt } from '../visible-text.ts';
import { allowsHost, parseMtaStsPolicy } from './mta-sts-policy.ts';
import { selectVersioned } from './versioned-record.ts';

export type PolicyRequest = {
  readonly url: URL;
  /**
   * The only ones to connect to: the host's, as far as they are public. The host name is for TLS
   * and the request.
   */
  readonly addresses: readonly string[];
};

/**
 * With the certificate checked, without redirects (RFC 8461 §3.3), at most MAX_POLICY_BYTES. Never
 * throws.
 */
export type FetchPolicy = (request: PolicyRequest) => Promise<FetchedPolicy>;

export type FetchedPolicy =
  | { readonly kind: 'fetched'; readonly text: string; readonly contentType: string }
  | { readonly kind: 'failed'; readonly reason: string };

export type MtaStsOptions = {
  readonly fetchPolicy: FetchPolicy;
  /** For tests, whose servers have no public address. */
  readonly isReachable?: (address: string) => boolean;
};

export const MAX_POLICY_BYTES = 64 * 1024;
export const POLICY_TIMEOUT_MS = 5_000;

export async function checkMtaSts(
  domain: string,
  hosts: readonly string[],
  resolver: Resolver,
  { fetchPolicy, isReachable = isPublicAddress }: MtaStsOptions,
): Promise<MtaStsReport<Finding>> {
  const name = `_mta-sts.${domain}`;
  const host = `mta-sts.${domain}`;
  const [answer, ipv4, ipv6] = await Promise.all([
    resolver.txt(name),
    resolver.a(host),
    resolver.aaaa(host),
  ]);
  const record = selectVersioned('MTA-STS', name, 'STSv1', answer);
  if (record.kind === 'none')
    return reportOf({}, [{ code: 'no_mta_sts_record', detail: { name } }]);
  if (record.kind === 'unusable') return reportOf({ raw: record.raw }, [record.error]);

  const id = tagValue(record.tags, 'id');
  const published = { raw: record.raw, id: id ?? '' };
  const errors = [...record.errors];
  if (id === undefined || !/^[A-Za-z0-9]{1,32}$/.test(id))
    errors.push({ code: 'bad_mta_sts_id', detail: id === undefined ? {} : { id: excerpt(id) } });
  // §3.1: with an invalid record there is no policy.
  if (errors.length > 0) return reportOf(published, errors);

  const addresses = addressesOf(host, ipv4, ipv6);
  if (!Array.isArray(addresses)) return reportOf(published, [addresses]);
  const reachable = addresses.filter(isReachable);
  if (reachable.length === 0)
    return reportOf(published, [{ code: 'policy_host_private', detail: { host } }]);

  const url = new URL(`https://${host}/.well-known/mta-sts.txt`);
  const fetched = await fetchPolicy({ url, addresses: reachable });
  if (fetched.kind === 'failed')
    return reportOf(published, [
      { code: 'policy_not_fetched', detail: { url: url.href, reason: fetched.reason } },
    ]);
  const { mode, max_age, mx, errors: policyErrors } = parseMtaStsPolicy(fetched.text);
  // §3.2: senders should check that it is text/plain, which keeps a page of another kind from being
  // a policy.
  const [type = ''] = fetched.contentType.split(';');
  const typeErrors: Finding[] =
    type.trim().toLowerCase() === 'text/plain'
      ? []
      : [{ code: 'policy_not_text', detail: { type: excerpt(type.trim()) } }];
  const unlisted = mode === 'none' ? [] : hosts.filter((candidate) => !allowsHost(mx, candidate));
  const hostErrors = unlisted.map(
    (candidate): Finding => ({ code: 'policy_without_host', detail: { host: candidate } }),
  );
  return reportOf({ ...published, policy_found: true, mode, max_age, mx }, [
    ...typeErrors,
    ...policyErrors,
    // Without a list of hosts every one would be missing in it.
    ...(mx.length === 0 ? [] : hostErrors),
  ]);
}

/** The addresses of either kind, or why there is none. */
function addressesOf(host: string, ipv4: Answer<string>, ipv6: Answer<string>): string[] | Finding {
  const addresses = [ipv4, ipv6].flatMap((answer) =>
    answer.kind === 'found' ? answer.records : [],
  );
  if (addresses.length > 0) return addresses;
  if (ipv4.kind === 'failure') return dnsFailure(host, 'A', ipv4);
  if (ipv6.kind === 'failure') return dnsFailure(host, 'AAAA', ipv6);
  const absence = ipv4.kind === 'found' ? 'no such record' : absenceOf(ipv4);
  return { code: 'policy_host_missing', detail: { host, absence } };
}

function reportOf(
  published: Partial<MtaStsReport<Finding>>,
  errors: Finding[],
): MtaStsReport<Finding> {
  const absent = { raw: '', id: '', policy_found: false, mode: '', max_age: 0 } as const;
  const report = { ...absent, mx: [], recommendations: [], ...published };
  return { found: report.raw !== '', ...report, ...judged(errors) };
}
