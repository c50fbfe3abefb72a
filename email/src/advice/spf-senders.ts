/** Who sends the mail of a domain, as far as its MX records tell. */
import type { Resolver } from '../dns/answer.ts';
import { isWithin, type Provider, providerOf } from '../providers.ts';
import { namedServices } from '../readiness/readiness.ts';
import { organizationOf } from '../registrable-domain.ts';
import type { Findings } from '../score/score.ts';
import { checkSpf, type SpfNode } from '../spf/lookups.ts';
import { coversAll, type Passing } from '../spf/passing.ts';
import { withAll } from '../spf/spf-record.ts';
import type { AdviceDetails } from './advice.ts';

type LikelySenders = {
  readonly senders: AdviceDetails['spf_publish']['senders'];
  readonly records: string[];
};

/**
 * The preferred record first. `mx` only for hosts of the same owner: a provider sends from others
 * than it receives.
 */
export function likelySenders(domain: string, { mx, spf }: Findings): LikelySenders {
  if (mx.state === 'implicit') return { senders: 'own address', records: [withAll(['a'], '~')] };
  if (mx.state !== 'valid' && mx.state !== 'partly') return { senders: 'not told', records: [] };
  const hosts = mx.report.records;
  const providers = [...new Set(hosts.flatMap((host) => providerOf(host) ?? []))].filter(
    hasInclude,
  );
  const own = organizationOf(domain);
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

/** The provider of all MX hosts whose servers the record does not let send. */
export type MissingProvider = {
  readonly provider: Provider;
  /** Its names that have an SPF record. Which one is right may depend on the region. */
  readonly includes: readonly string[];
  /** A term of the record that names the provider but does not let it send. */
  readonly refusal: string | undefined;
};

/**
 * Undefined if the record names the provider or lists all its addresses (flattened), or if none is
 * known.
 */
export async function findMissingProvider(
  { mx, spf }: Findings,
  resolver: Resolver,
): Promise<MissingProvider | undefined> {
  if (
    (mx.state !== 'valid' && mx.state !== 'partly') ||
    !spf.report.is_valid ||
    spf.openToAll !== undefined
  )
    return undefined;
  const [provider, ...others] = [...new Set(mx.report.records.map(providerOf))];
  if (provider === undefined || others.length > 0 || !hasInclude(provider)) return undefined;
  const names = [...provider.includes, ...provider.spfNames];
  const isOfProvider = ({ name }: SpfNode) => names.some((host) => isWithin(name, host));
  const isNamed = (node: SpfNode): boolean =>
    isOfProvider(node) || node.name.includes('%') || node.children.filter(lets).some(isNamed);
  // Mail may leave from the mailboxes behind a gateway, and not through it.
  const isBehind = namedServices(spf.tree).some(({ role }) => role === 'mailbox');
  if (isNamed(spf.tree) || (provider.role === 'gateway' && isBehind)) return undefined;
  const ranges = await Promise.all(provider.includes.map((name) => rangesOf(name, resolver)));
  const includes = provider.includes.filter((_, i) => ranges[i] !== undefined);
  if (
    includes.length === 0 ||
    ranges.some((range) => range !== undefined && coversAll(spf.passing, range))
  )
    return undefined;
  const refusal = spf.tree.children.find((child) => !lets(child) && isOfProvider(child))?.via;
  return { provider, includes, refusal };
}

/** A term with `-`, `~` or `?` lets no one send. */
function lets({ via }: SpfNode): boolean {
  return !/^[-~?]/.test(via);
}

/**
 * Addresses that the record of a provider lets send; undefined if it has none, or they are not
 * known.
 */
async function rangesOf(name: string, resolver: Resolver): Promise<readonly Passing[] | undefined> {
  const { report, passing } = await checkSpf(name, await resolver.txt(name), resolver);
  return report.raw !== '' && report.is_valid ? passing : undefined;
}
