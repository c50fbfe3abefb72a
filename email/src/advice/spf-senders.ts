/** Who sends the mail of a domain, as far as its MX records tell. */
import { isWithin, type Provider, providerOf } from '../providers.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { Findings } from '../report/score.ts';
import type { SpfNode } from '../spf/lookups.ts';
import type { AdviceDetails } from './advice.ts';
import { withAll } from './spf-record.ts';

type LikelySenders = { readonly senders: AdviceDetails['spf_publish']['senders']; readonly records: string[] };

/**
 * Who sends the mail of a domain that has told only where it receives mail, and records that let them, the preferred one
 * first. `mx` only for hosts of the same owner: those of a mail provider receive, and others of it send.
 */
export function likelySenders(domain: string, { mx, spf }: Findings): LikelySenders {
  if (mx.state === 'implicit') return { senders: 'own address', records: [withAll(['a'], '~')] };
  if (mx.state !== 'valid' && mx.state !== 'partly') return { senders: 'unknown', records: [] };
  const hosts = mx.report.records;
  const providers = [...new Set(hosts.flatMap((host) => providerOf(host) ?? []))].filter(hasInclude);
  const own = registrableDomain(domain) ?? domain;
  const mxTerms = hosts.every((host) => isWithin(host, own)) ? ['mx'] : [];
  if (providers.length === 0)
    return mxTerms.length > 0
      ? { senders: 'MX hosts', records: [withAll(mxTerms, '~')] }
      : { senders: 'unknown', records: [] };
  // Which name is right may depend on the region: the first that has a record is proposed.
  const variants = Math.max(...providers.map(({ includes }) => includes.length));
  const records = Array.from({ length: variants }, (_, i) =>
    withAll(
      providers.map(({ includes }) => `include:${includes[i] ?? includes[0]}`),
      '~',
    ),
  );
  return spf.isUnverified
    ? { senders: 'unknown', records: [] }
    : { senders: { providers: providers.map(({ name }) => name) }, records };
}

function hasInclude({ includes }: Provider): boolean {
  return includes.length > 0;
}

/** The provider of all MX hosts, if neither the record nor what it includes names it. */
export function missingProvider({ mx, spf }: Findings): Provider | undefined {
  if (mx.state !== 'valid' && mx.state !== 'partly') return undefined;
  const [provider, ...others] = [...new Set(mx.report.records.map(providerOf))];
  if (provider === undefined || others.length > 0 || !hasInclude(provider)) return undefined;
  const names = [...provider.includes, ...provider.spfNames];
  const isNamed = (node: SpfNode): boolean =>
    names.some((name) => isWithin(node.name, name)) || node.name.includes('%') || node.children.some(isNamed);
  return isNamed(spf.tree) ? undefined : provider;
}
