/**
 * What `wh ip --include` asks for beside the record: DNS, ROA payloads and a location database,
 * opened once.
 */
import type { Dataset } from '@whence/dataset/dataset';
import { HostnameLookups } from '../address/hostname-lookups.ts';
import { type AddressMembers, AddressSections } from '../address/sections.ts';
import { EmailChecks } from '../email-checks/email-checks.ts';
import type { Lookup } from '../lookup/lookup.ts';
import type { Config } from '../settings/config.ts';
import type { AddressSection } from '../vocabulary.ts';
import { type LocationSettings, openLocations } from './local-locations.ts';
import { openRpkiSource, type RpkiConfig } from './rpki-source.ts';

export type IpConfig = RpkiConfig & LocationSettings & Pick<Config, 'dnsServers' | 'overrides'>;

type MatchedAddress = Extract<Lookup, { kind: 'found' }> & { readonly dataset: Dataset };

type OpenSections = {
  describe(address: MatchedAddress): Promise<AddressMembers>;
  close(): void;
};

export async function openSections(
  config: IpConfig,
  include: ReadonlySet<AddressSection>,
): Promise<OpenSections> {
  const dns = new EmailChecks(config.dnsServers);
  const sections = new AddressSections({
    hostnames: new HostnameLookups(() => dns.dnsClient()),
    rpki: include.has('routing') ? await openRpkiSource(config) : undefined,
    locations: { current: include.has('location') ? await openLocations(config) : undefined },
  });
  const requester = { fairnessKey: 'command line', signal: new AbortController().signal };
  return {
    describe: (address) => sections.describe(address, include, requester),
    close: () => dns.close(),
  };
}
