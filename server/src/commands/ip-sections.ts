/** What `wh ip --include` asks for beside the record: DNS, the registries and a file of ROA payloads, opened once. */
import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { HostnameLookups } from '../address/hostname-lookups.ts';
import type { Registrations } from '../address/registration/registrations.ts';
import { type AddressMembers, AddressSections, type ExchangeAddress } from '../address/sections.ts';
import { EmailChecks } from '../email-checks/email-checks.ts';
import type { Lookup } from '../lookup/lookup.ts';
import type { Config } from '../settings/config.ts';
import type { StoredRegistration } from '../storage/stores/registration-store.ts';
import { SettingError } from '../terminal/exit.ts';
import type { AddressSection } from '../vocabulary.ts';
import { openLocalSupplement } from './local-dataset.ts';
import { openRpkiSource, type RpkiConfig } from './rpki-source.ts';

export type IpConfig = RpkiConfig & Pick<Config, 'dnsServers' | 'hasRdap' | 'overrides'>;

type Found = Extract<Lookup, { kind: 'found' }> & { readonly dataset: Dataset };

export type OpenSections = {
  describe(found: Found): Promise<AddressMembers>;
  unannounced(address: Address): ExchangeAddress | undefined;
  close(): void;
};

export async function openSections(config: IpConfig, include: ReadonlySet<AddressSection>): Promise<OpenSections> {
  const dns = new EmailChecks(config.dnsServers);
  const sections = new AddressSections({
    hostnames: new HostnameLookups(() => dns.dnsClient()),
    rpki: include.has('routing') ? await openRpkiSource(config) : undefined,
    registrations: include.has('registration') ? await openRegistrations(config) : undefined,
  });
  const requester = { fairnessKey: 'command line', signal: new AbortController().signal };
  const supplement = isSupplemented(include) ? openLocalSupplement(config.dataDir) : undefined;
  return {
    describe: (found) => sections.describe({ ...found, supplement }, include, requester),
    unannounced: (address) => sections.unannounced({ supplement }, address, include),
    close: () => dns.close(),
  };
}

const isSupplemented = (include: ReadonlySet<AddressSection>) => include.has('location') || include.has('routing');

/** Without storage: a command asks once for each address. */
export async function openRegistrations({ hasRdap, contact, proxies }: IpConfig): Promise<Registrations> {
  if (!hasRdap)
    throw new SettingError('registration asks the registries, which is off; to allow it, set WHENCE_RDAP=on');
  const { Registrations } = await import('../address/registration/registrations.ts');
  const rows = new Map<string, StoredRegistration>();
  const store = {
    find: async (subject: string) => rows.get(subject),
    save: async (subject: string, row: StoredRegistration) => void rows.set(subject, row),
  };
  return new Registrations({ store, contact, proxies, nowMs: Date.now });
}
