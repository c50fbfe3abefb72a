/** What several kinds of feeds have in common: addresses and terms of publishers, networks of providers. */
import { cloud } from '../../tables/networks/cloud.ts';

export const RIPE_TERMS = 'RIPE NCC terms';
export const GITHUB = 'https://raw.githubusercontent.com';
export const IP_LOCATION_DB = 'https://github.com/sapics/ip-location-db/releases/download/latest';

export const networksOf = (...providers: string[]) => providers.flatMap((provider) => cloud[provider] ?? []);
