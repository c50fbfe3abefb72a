/** Addresses, terms and networks of publishers that several kinds of feeds share. */
import { labelledNetworks } from '../../data-files/data-files.ts';

export const RIPE_TERMS = 'RIPE NCC terms';
export const GITHUB = 'https://raw.githubusercontent.com';
export const IP_LOCATION_DB = 'https://github.com/sapics/ip-location-db/releases/download/latest';

const networksByProvider = labelledNetworks.derived((rows) => {
  const asns = new Map<string, number[]>();
  for (const { asn, cloud_provider } of rows)
    if (cloud_provider !== undefined) asns.set(cloud_provider, [...(asns.get(cloud_provider) ?? []), asn]);
  return asns;
});

/** The AS numbers of cloud providers. */
export const networksOf = (...providers: string[]): number[] =>
  providers.flatMap((provider) => networksByProvider().get(provider) ?? []);
