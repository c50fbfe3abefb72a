// Where a domain's mail goes (RFC 5321 §5.1, RFC 7505), and whether every host can be reached.
import { isPrivateAddress } from '../address-scope.ts';
import type { Answer, Failure, MxHost, RecordType, Resolver } from '../dns/answer.ts';
import { absenceOf, dnsFailure, type Finding, type FindingDetails } from '../findings/finding.ts';
import type { MxReport } from '../report.ts';

export type MxFindings = {
  report: MxReport<Finding>;
  /**
   * `null`: declares that it takes no mail. `partly`: some host is reachable, but there are errors.
   * `implicit`: no MX record, mail goes to the domain's own address. `none`: mail cannot be
   * delivered. `unverified`: a question failed, and no other error is known.
   */
  state: 'valid' | 'null' | 'partly' | 'unusable' | 'implicit' | 'none' | 'unverified';
  /**
   * The examined hosts with the lowest preference of each, and their addresses as far as they were
   * asked for.
   */
  hosts: MailHost[];
  duplicates: string[];
  /** Hosts with an address that is not reachable from the internet, beside others that are. */
  privateHosts: string[];
};

export type MailHost = { host: string; preference: number; addresses: string[] };

/** `answer` is the answer to the MX question for the domain. */
export async function checkMx(
  domain: string,
  answer: Answer<MxHost>,
  resolver: Resolver,
): Promise<MxFindings> {
  if (answer.kind === 'failure') return noHosts('unverified', dnsFailure(domain, 'MX', answer));
  if (answer.kind === 'nxdomain') {
    // A dangling alias exists, and has no records. Without an alias, the domain itself does not
    // exist.
    if (answer.alias === undefined)
      return noHosts('none', { code: 'domain_not_found', detail: { name: domain } });
    return noHosts('none', noMxRecords(domain, { alias: answer.alias }));
  }
  if (answer.kind === 'nodata' || answer.records.length === 0)
    return checkImplicit(domain, resolver);

  const sorted = [...answer.records].sort(
    (a, b) => a.preference - b.preference || compare(a.exchange, b.exchange),
  );
  const { hosts, duplicates } = countHosts(sorted);
  const records = hosts.slice(0, MAX_EXAMINED_HOSTS);
  const [first] = sorted;
  // RFC 7505 §3: a single record with preference 0.
  if (sorted.length === 1 && first?.exchange === '.' && first.preference === 0)
    return {
      report: reportOf(records, []),
      state: 'null',
      hosts: [],
      duplicates,
      privateHosts: [],
    };

  const targets = await Promise.all(
    records.map((host) => (host === '.' ? rootTarget(hosts.length) : checkTarget(host, resolver))),
  );
  const errors = targets.flatMap(({ error }) => (error === undefined ? [] : [error]));
  if (hosts.length > records.length)
    errors.unshift({
      code: 'too_many_mx_hosts',
      detail: { hosts: hosts.length, examined: records.length },
    });
  const privateHosts = targets.flatMap(({ host, isPrivate }) => (isPrivate ? [host] : []));
  return {
    report: reportOf(records, errors),
    state: stateOf(targets),
    hosts: targets.map(({ host, addresses }) => ({
      host,
      preference: preferenceOf(sorted, host),
      addresses,
    })),
    duplicates,
    privateHosts,
  };
}

const preferenceOf = (sorted: readonly MxHost[], host: string): number =>
  sorted.find(({ exchange }) => exchange === host)?.preference ?? 0;

/**
 * Lowest preference first, as senders do. A zone can name thousands of hosts in a domain of another
 * owner.
 */
const MAX_EXAMINED_HOSTS = 20;

function countHosts(records: readonly MxHost[]): { hosts: string[]; duplicates: string[] } {
  const counts = new Map<string, number>();
  for (const { exchange } of records) counts.set(exchange, (counts.get(exchange) ?? 0) + 1);
  const duplicates = [...counts].filter(([, count]) => count > 1).map(([host]) => host);
  return { hosts: [...counts.keys()], duplicates };
}

/** RFC 5321 §5.1: without MX records, the domain is its own mail host. */
async function checkImplicit(domain: string, resolver: Resolver): Promise<MxFindings> {
  const address = await askAddress(domain, resolver);
  if (address.kind === 'failure') return unknownAddress(domain, address.type, address);
  if (address.kind !== 'found') return noHosts('none', noMxRecords(domain, 'nowhere'));
  const reach = await reachOf(domain, address.records, resolver);
  if (typeof reach === 'object') return unknownAddress(domain, 'AAAA', reach);
  if (reach === 'private') return noHosts('none', noMxRecords(domain, 'private address'));
  return noHosts('implicit', noMxRecords(domain, 'own address'));
}

function unknownAddress(domain: string, type: RecordType, failure: Failure): MxFindings {
  return noHosts('unverified', noMxRecords(domain, 'unknown'), dnsFailure(domain, type, failure));
}

type Target = {
  host: string;
  addresses: string[];
  isUsable: boolean;
  isPrivate: boolean;
  isUnknown: boolean;
  error?: Finding;
};

async function checkTarget(host: string, resolver: Resolver): Promise<Target> {
  const target = {
    host,
    addresses: [] as string[],
    isUsable: false,
    isPrivate: false,
    isUnknown: false,
  };
  if (isAddressText(host)) return { ...target, error: { code: 'mx_target_ip', detail: { host } } };
  const answer = await askAddress(host, resolver);
  if (answer.kind === 'failure')
    return { ...target, isUnknown: true, error: dnsFailure(host, answer.type, answer) };
  // An attacker can register a missing name and receive the mail.
  if (answer.kind === 'nxdomain' || answer.kind === 'nodata')
    return {
      ...target,
      error: { code: 'mx_target_missing', detail: { host, absence: absenceOf(answer) } },
    };
  target.addresses = [...answer.records];
  const reach = await reachOf(host, answer.records, resolver);
  if (typeof reach === 'object')
    return { ...target, isUnknown: true, error: dnsFailure(host, 'AAAA', reach) };
  if (reach === 'private')
    return { ...target, error: { code: 'mx_target_private', detail: { host } } };
  const usable = { ...target, isUsable: true, isPrivate: reach === 'mixed' };
  // RFC 2181 §10.3 forbids it, but most senders follow the alias.
  const [alias] = answer.aliases;
  return alias === undefined
    ? usable
    : { ...usable, error: { code: 'mx_target_cname', detail: { host } } };
}

/** `addresses` are of type A, or of type AAAA if there is none of type A. */
async function reachOf(
  host: string,
  addresses: readonly string[],
  resolver: Resolver,
): Promise<'public' | 'mixed' | 'private' | Failure> {
  if (!addresses.some(isPrivateAddress)) return 'public';
  if (!addresses.every(isPrivateAddress)) return 'mixed';
  const answer = await resolver.aaaa(host);
  if (answer.kind === 'failure') return answer;
  return answer.kind === 'found' && !answer.records.every(isPrivateAddress) ? 'mixed' : 'private';
}

/** A null MX beside other records, or with another preference, is a host that cannot be reached. */
function rootTarget(count: number): Target {
  const error: Finding =
    count > 1
      ? { code: 'null_mx_with_others', detail: {} }
      : { code: 'mx_target_missing', detail: { host: '.', absence: 'null MX with a preference' } };
  return { host: '.', addresses: [], isUsable: false, isPrivate: false, isUnknown: false, error };
}

/**
 * A failed question is not an error of the domain: `unverified`, unless there are usable hosts and
 * other errors.
 */
function stateOf(targets: readonly Target[]): MxFindings['state'] {
  if (targets.every(({ error }) => error === undefined)) return 'valid';
  const isUsable = targets.some((target) => target.isUsable);
  const isFaulty = targets.some(({ error, isUnknown }) => error !== undefined && !isUnknown);
  if (isUsable && isFaulty) return 'partly';
  return targets.some(({ isUnknown }) => isUnknown) ? 'unverified' : 'unusable';
}

type AddressAnswer = Exclude<Answer<string>, Failure> | (Failure & { type: RecordType });

/** One address is enough, so AAAA is queried only if there is no reachable A. */
async function askAddress(name: string, resolver: Resolver): Promise<AddressAnswer> {
  const a = await resolver.a(name);
  if (a.kind === 'failure') return { ...a, type: 'A' };
  if (a.kind !== 'nodata') return a;
  const aaaa = await resolver.aaaa(name);
  return aaaa.kind === 'failure' ? { ...aaaa, type: 'AAAA' } : aaaa;
}

function noHosts(state: MxFindings['state'], ...errors: Finding[]): MxFindings {
  return { report: reportOf([], errors), state, hosts: [], duplicates: [], privateHosts: [] };
}

function reportOf(records: string[], errors: Finding[]): MxReport<Finding> {
  return { records, is_valid: errors.length === 0, errors };
}

function noMxRecords(
  domain: string,
  mailGoesTo: FindingDetails['no_mx_records']['mailGoesTo'],
): Finding {
  return { code: 'no_mx_records', detail: { domain, mailGoesTo } };
}

/** No top-level domain is all digits, and no host name contains a colon or a bracket. */
function isAddressText(host: string): boolean {
  return /(?:^|\.)[0-9]+$/.test(host) || /[:[\]]/.test(host);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
