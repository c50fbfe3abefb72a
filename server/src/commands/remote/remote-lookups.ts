/** Answers of a server in the form of those of the local dataset, so that they are printed alike. */
import { type Client, WhenceError } from '@whence/client';
import { type Address, formatAddress } from '@whence/dataset/address';
import type { SpecialPurpose } from '@whence/dataset/special-purpose';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { type AddressSection, LOCAL_ADDRESS_SECTIONS, type LocalAddressSection } from '../../vocabulary.ts';
import type { AsnSource } from '../asn.ts';
import type { IpSource } from '../ip.ts';
import { type IpAnswer, missingAnswer } from '../lookup/ip-answer.ts';
import { type RemoteServer, remoteError } from './remote-server.ts';

type Asked = { readonly explain: boolean; readonly include: ReadonlySet<AddressSection> };

/** Of the largest tier. A server refuses more than the tier of the key allows, and says how many that are. */
const MAX_BATCH = 1000;

export function remoteIpSource(server: RemoteServer, { explain, include }: Asked): IpSource {
  const local = [...include].filter(isLocal);
  const isBatchable = !explain && local.length === include.size;
  let batchSize = MAX_BATCH;
  const findOne = async (client: Client, ip: string): Promise<IpAnswer> => {
    try {
      return (await client.ip(ip, { explain, include: [...include] })).data;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return missingAnswer(ip, error.details as SpecialPurpose | undefined);
    }
  };
  const findBatch = async (ips: readonly string[], addresses: readonly Address[]): Promise<IpAnswer[]> => {
    const { data } = await server.client({ batchSize }).batch(ips, { include: local });
    return ips.map((ip, i) => {
      const entry = data.get(ip);
      if (entry !== undefined && !('error' in entry)) return entry;
      const address = addresses[i];
      // An entry of a batch has no details; the ranges are the same in every version.
      return missingAnswer(ip, address && findSpecialPurpose(address));
    });
  };
  return {
    async find(addresses) {
      const ips = addresses.map(formatAddress);
      try {
        if (isBatchable && ips.length > 1) return await smallerIfRefused(() => findBatch(ips, addresses));
        const client = server.client();
        const answers: IpAnswer[] = [];
        for (const ip of ips) answers.push(await findOne(client, ip));
        return answers;
      } catch (error) {
        throw remoteError(error, server.url, new Date());
      }
    },
    close: () => {},
  };

  async function smallerIfRefused(send: () => Promise<IpAnswer[]>): Promise<IpAnswer[]> {
    try {
      return await send();
    } catch (error) {
      const limit = error instanceof WhenceError && error.code === 'BATCH_TOO_LARGE' ? error.details?.['limit'] : 0;
      if (typeof limit !== 'number' || limit < 1 || limit >= batchSize) throw error;
      batchSize = limit;
      return send();
    }
  }
}

export function remoteAsnSource(server: RemoteServer, withPrefixes: boolean): AsnSource {
  const client = server.client();
  return async (asn) => {
    try {
      return (await client.asn(asn, { includePrefixes: withPrefixes })).data;
    } catch (error) {
      if (isNotFound(error)) return { asn, error: 'no data found for ASN', code: 'NOT_FOUND' };
      throw remoteError(error, server.url, new Date());
    }
  };
}

const isNotFound = (error: unknown): error is WhenceError => error instanceof WhenceError && error.code === 'NOT_FOUND';

const isLocal = (section: AddressSection): section is LocalAddressSection =>
  (LOCAL_ADDRESS_SECTIONS as readonly string[]).includes(section);
