/**
 * The PTR name of an address, if it leads back to the address: the operator of a reverse zone can
 * write any name.
 */
import { type Address, formatAddress, parseAddress } from '@whence/dataset/address';
import type { Answer } from '@whence/email/dns';
import { crawlerOfHostname } from './crawlers.ts';

type HostnameResolver = {
  ptr(reverseName: string): Promise<Answer<string>>;
  a(name: string): Promise<Answer<string>>;
  aaaa(name: string): Promise<Answer<string>>;
};

/**
 * Empty if the address has no PTR record. `is_confirmed` is absent if DNS did not answer for the
 * name.
 */
export type Hostname = {
  name?: string;
  is_confirmed?: boolean;
  /**
   * The name is one that the operator of this crawler documents. It is forged unless it is
   * verified.
   */
  crawler?: { name: string; is_verified: boolean };
  error?: 'dns_temporary_failure';
};

/** Some hosts of shared web space have hundreds of PTR records. */
const MAX_NAMES = 8;

export async function lookUpHostname(
  address: Address,
  resolver: HostnameResolver,
): Promise<Hostname> {
  const answer = await resolver.ptr(reverseNameOf(address));
  if (answer.kind === 'failure') return { error: 'dns_temporary_failure' };
  if (answer.kind !== 'found') return {};
  const names = [...new Set(answer.records.filter(isHostname))].sort().slice(0, MAX_NAMES);
  const confirmations = await Promise.all(
    names.map((name) => isConfirmed(address, name, resolver)),
  );
  const confirmed = names.find((_, i) => confirmations[i] === true);
  if (confirmed !== undefined) return describe(confirmed, true);
  const unknown = names.find((_, i) => confirmations[i] === undefined);
  if (unknown !== undefined) return { name: unknown, error: 'dns_temporary_failure' };
  const [first] = names;
  return first === undefined ? {} : describe(names.find(crawlerOfHostname) ?? first, false);
}

function describe(name: string, is_confirmed: boolean): Hostname {
  const crawler = crawlerOfHostname(name)?.name;
  return {
    name,
    is_confirmed,
    ...(crawler !== undefined && { crawler: { name: crawler, is_verified: is_confirmed } }),
  };
}

/** Undefined if DNS did not answer. */
async function isConfirmed(
  address: Address,
  name: string,
  resolver: HostnameResolver,
): Promise<boolean | undefined> {
  const answer = await (address.version === 4 ? resolver.a(name) : resolver.aaaa(name));
  if (answer.kind === 'failure') return answer.code === 'alias_too_long' ? false : undefined;
  if (answer.kind !== 'found') return false;
  const own = formatAddress(address);
  return answer.records.some((text) => {
    const address = parseAddress(text);
    return address !== undefined && formatAddress(address) === own;
  });
}

/** RFC 1035 §3.5 and RFC 3596 §2.5. */
export function reverseNameOf(address: Address): string {
  if (address.version === 4)
    return `${formatAddress(address).split('.').reverse().join('.')}.in-addr.arpa`;
  const words = [address.w0, address.w1, address.w2, address.w3];
  const digits = words.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}

/** A PTR record can hold any bytes. What is no hostname cannot be that of the address. */
function isHostname(name: string): boolean {
  return /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)+$/.test(name);
}
