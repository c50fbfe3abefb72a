/** Answers of a server, in the form of those of the local dataset. */
import type { WhenceError } from '@whence/client';
import { type Address, formatAddress } from '@whence/dataset/address';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { LOCAL_ADDRESS_SECTIONS } from '../../vocabulary.ts';
import { asking, type RemoteServer } from '../remote/remote-server.ts';
import { type AsnSource, missingAsn, type SearchSource } from './asn-answer.ts';
import {
  type IpAnswer,
  type IpOptions,
  type IpSource,
  type MissingAnswer,
  missingAnswer,
  notKept,
  type PastSource,
} from './ip-answer.ts';

export function remoteIpSource(
  { url, client: open }: RemoteServer,
  { explain, include }: IpOptions,
): IpSource {
  const client = open();
  const local = LOCAL_ADDRESS_SECTIONS.filter((section) => include.has(section));
  // Only an explained answer says whether a list with the address has expired.
  let hasExpiredLists = false;
  const findBatch = async (addresses: readonly Address[]): Promise<IpAnswer[]> => {
    const { data } = await client.batch(addresses.map(formatAddress), { include: local });
    return addresses.map((address) => {
      const entry = data.get(formatAddress(address));
      return entry !== undefined && !('error' in entry) ? entry : notFound(address);
    });
  };
  return {
    async threatGaps() {
      const { data } = await asking(url, () => client.dataset());
      const { threat_is_known, unknown_flags, dated_flags } = data;
      hasExpiredLists = dated_flags.length > 0;
      return ({ ip, threat_is_known: isKnown }) => {
        if (threat_is_known[ip.includes(':') ? 'ipv6' : 'ipv4'])
          return isKnown === false ? 'expired_list' : undefined;
        // `deny` and `allow` in the overrides need no lists.
        if (isKnown === true) return undefined;
        return unknown_flags.includes('blocklists') || !unknown_flags.includes('is_tor_exit')
          ? 'blocklists'
          : 'is_tor_exit';
      };
    },
    async find(addresses) {
      const isExplained = explain || hasExpiredLists;
      if (!isExplained && local.length === include.size && addresses.length > 1)
        return asking(url, () => findBatch(addresses));
      const answers: IpAnswer[] = [];
      for (const address of addresses) {
        const ask = async () =>
          (await client.ip(formatAddress(address), { explain: isExplained, include: [...include] }))
            .data;
        answers.push(
          await asking<IpAnswer>(url, ask, (error) =>
            isNotFound(error) ? notFound(address) : undefined,
          ),
        );
      }
      return answers;
    },
    close: () => {},
  };
}

export function remotePastSource(
  { url, client: open }: RemoteServer,
  explain: boolean,
): PastSource {
  const client = open();
  return {
    history: (address) =>
      asking(url, async () => (await client.ipHistory(formatAddress(address))).data),
    record(address, wanted) {
      const ip = formatAddress(address);
      const version = 'day' in wanted ? { at: wanted.day } : wanted;
      return asking<IpAnswer>(
        url,
        async () => (await client.ip(ip, { explain, ...version })).data,
        (error) => {
          if (error.code === 'VERSION_NOT_FOUND') throw notKept(wanted, ip);
          return isNotFound(error) ? notFound(address) : undefined;
        },
      );
    },
  };
}

export function remoteAsnSource(
  { url, client: open }: RemoteServer,
  withPrefixes: boolean,
): AsnSource {
  const client = open();
  return (asn) =>
    asking(
      url,
      async () => (await client.asn(asn, { includePrefixes: withPrefixes })).data,
      (error) => (isNotFound(error) ? missingAsn(asn) : undefined),
    );
}

export function remotePrefixSource({ url, client: open }: RemoteServer) {
  const client = open();
  return (_request: unknown, text: string) =>
    asking(url, async () => (await client.prefix(text)).data);
}

export function remoteSearch({ url, client: open }: RemoteServer): SearchSource {
  const client = open();
  return (query, limit) => asking(url, async () => (await client.searchAsn(query, { limit })).data);
}

const isNotFound = ({ code }: WhenceError) => code === 'NOT_FOUND';

/**
 * The special-purpose ranges are the same in every version, and an answer has them only with
 * `explain`.
 */
function notFound(address: Address): MissingAnswer {
  return missingAnswer(formatAddress(address), findSpecialPurpose(address));
}
