/** Where a domain's mail goes (RFC 5321 §5.1, RFC 7505): whether every host its MX records name can be reached by that name. */
import { BlockList, isIP } from 'node:net';
import type { Answer, MxHost, Resolver } from './dns.ts';
import type { MxReport } from './report.ts';

export type MxFindings = {
  report: MxReport;
  /**
   * `null`: says that it takes no mail. `partly`: some host can be reached, but not all is well. `implicit`: no MX record, mail goes to the
   * domain's own address. `none`: no way to send it mail. `unverified`: a question failed, and nothing else is known to be wrong.
   */
  state: 'valid' | 'null' | 'partly' | 'unusable' | 'implicit' | 'none' | 'unverified';
  /** Hosts listed more than once. */
  duplicates: string[];
  /** Hosts whose address means something else, or nothing, to everybody outside. */
  privateHosts: string[];
};

/** `answer` is what the MX question for the domain brought. */
export async function checkMx(domain: string, answer: Answer<MxHost>, resolver: Resolver): Promise<MxFindings> {
  if (answer.kind === 'failure') return noHosts('unverified', failed(domain, 'MX', answer.reason));
  if (answer.kind === 'nxdomain') {
    // A dangling alias is a name that exists and has nothing; without one, the domain itself is not there.
    if (answer.alias === undefined) return noHosts('none', `domain_not_found: ${domain} does not exist`);
    return noHosts('none', `no_mx_records: ${domain} is an alias of ${answer.alias}, which does not exist`);
  }
  if (answer.kind === 'nodata' || answer.records.length === 0) return checkImplicit(domain, resolver);

  const sorted = [...answer.records].sort((a, b) => a.preference - b.preference || compare(a.exchange, b.exchange));
  const records = [...new Set(sorted.map(({ exchange }) => exchange))];
  const duplicates = records.filter((host) => sorted.filter(({ exchange }) => exchange === host).length > 1);
  const [first] = sorted;
  // RFC 7505 §3: a single record with preference 0.
  if (sorted.length === 1 && first?.exchange === '.' && first.preference === 0)
    return { report: reportOf(records, []), state: 'null', duplicates, privateHosts: [] };

  const targets = await Promise.all(
    records.map((host) => (host === '.' ? rootTarget(records.length) : checkTarget(host, resolver))),
  );
  const errors = targets.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const privateHosts = targets.flatMap(({ host, isPrivate }) => (isPrivate ? [host] : []));
  return { report: reportOf(records, errors), state: stateOf(targets), duplicates, privateHosts };
}

/** RFC 5321 §5.1: without MX records, the domain is its own mail host. */
async function checkImplicit(domain: string, resolver: Resolver): Promise<MxFindings> {
  const address = await askAddress(domain, resolver);
  if (address.kind === 'found')
    return noHosts('implicit', `no_mx_records: mail for ${domain} goes to its own address (implicit MX)`);
  const none = `no_mx_records: ${domain} has no MX record`;
  if (address.kind === 'failure') return noHosts('unverified', none, failed(domain, address.type, address.reason));
  return noHosts('none', `${none} and no address`);
}

type Target = { host: string; isUsable: boolean; isPrivate: boolean; isUnknown: boolean; error?: string };

async function checkTarget(host: string, resolver: Resolver): Promise<Target> {
  const target = { host, isUsable: false, isPrivate: false, isUnknown: false };
  if (isAddressText(host)) return { ...target, error: `mx_target_ip: ${host} is an address, not a name` };
  const answer = await askAddress(host, resolver);
  if (answer.kind === 'failure') return { ...target, isUnknown: true, error: failed(host, answer.type, answer.reason) };
  // Whoever registers the missing name receives the mail.
  if (answer.kind === 'nxdomain') {
    const what = answer.alias === undefined ? 'does not exist' : `is an alias of ${answer.alias}, which does not exist`;
    return { ...target, error: `mx_target_missing: ${host} ${what}` };
  }
  if (answer.kind === 'nodata') return { ...target, error: `mx_target_missing: ${host} has no address` };
  const usable = { ...target, isUsable: true, isPrivate: isLocalName(host) || answer.records.some(isPrivateAddress) };
  // RFC 2181 §10.3 forbids it, and most senders follow the alias all the same.
  const [alias] = answer.aliases;
  return alias === undefined
    ? usable
    : { ...usable, error: `mx_target_cname: ${host} is an alias, not a name with an address` };
}

/** The root has no address, so a null MX beside others, or one with another preference, is a host that cannot be reached. */
function rootTarget(count: number): Target {
  const error =
    count > 1
      ? 'null_mx_with_others: "." says that there is no mail host, other records name one'
      : 'mx_target_missing: "." is a null MX only as a single record with preference 0';
  return { host: '.', isUsable: false, isPrivate: false, isUnknown: false, error };
}

/** A failure alone is no fault: it makes the whole unverified unless something else is known to be wrong with hosts that work. */
function stateOf(targets: readonly Target[]): MxFindings['state'] {
  if (targets.every(({ error }) => error === undefined)) return 'valid';
  const isUsable = targets.some((target) => target.isUsable);
  const isFaulty = targets.some(({ error, isUnknown }) => error !== undefined && !isUnknown);
  if (isUsable && isFaulty) return 'partly';
  return targets.some(({ isUnknown }) => isUnknown) ? 'unverified' : 'unusable';
}

type AddressAnswer = Exclude<Answer<string>, { kind: 'failure' }> | { kind: 'failure'; type: string; reason: string };

/** One address is enough, so AAAA is asked only where there is no A. */
async function askAddress(name: string, resolver: Resolver): Promise<AddressAnswer> {
  const a = await resolver.a(name);
  if (a.kind === 'failure') return { ...a, type: 'A' };
  if (a.kind !== 'nodata') return a;
  const aaaa = await resolver.aaaa(name);
  return aaaa.kind === 'failure' ? { ...aaaa, type: 'AAAA' } : aaaa;
}

function noHosts(state: MxFindings['state'], ...errors: string[]): MxFindings {
  return { report: reportOf([], errors), state, duplicates: [], privateHosts: [] };
}

function reportOf(records: string[], errors: string[]): MxReport {
  return { records, is_valid: errors.length === 0, errors };
}

function failed(name: string, type: string, reason: string): string {
  return `dns_temporary_failure: ${name} ${type} ${reason}`;
}

/** No top-level domain is all digits, and no name has a colon or a bracket. */
function isAddressText(host: string): boolean {
  return /(?:^|\.)[0-9]+$/.test(host) || /[:[\]]/.test(host);
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.localdomain');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** RFC 6890: this host, private use, shared, loopback, link-local. Documentation ranges stay out: they are how examples are written. */
const PRIVATE_RANGES = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE_RANGES.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE_RANGES.addSubnet(network, prefix, 'ipv6');

function isPrivateAddress(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && PRIVATE_RANGES.check(address, version === 6 ? 'ipv6' : 'ipv4');
}
