/** The npm packages of the embedded default: files, licences, and the credit that the licences require. */
import type { Source } from '../record.ts';

type SourceInfo = Omit<Source, 'records'>;

/** An npm package of ip-location-db. It is no longer published on npm, so version and content are pinned. */
export type NpmSource = SourceInfo & {
  readonly package: string;
  readonly version: string;
  readonly files: Readonly<Record<4 | 6, { readonly name: string; readonly sha256: string }>>;
};

export const npmSources = {
  asn: {
    id: 'npm-asn',
    as_of: '2026-06-17',
    licence: 'CC BY 4.0',
    credit: 'RouteViews (routeviews.org), NRO (nro.net), IP Geolocation by DB-IP (https://db-ip.com)',
    package: '@ip-location-db/asn',
    version: '2.3.2026061719',
    files: {
      4: { name: 'asn-ipv4.csv', sha256: '76afd7f575bc22d3b3d52f4666fb1ec20c254948829c8f23b1ecc8b8856106d5' },
      6: { name: 'asn-ipv6.csv', sha256: 'c91289d4d5dba149fb5f0c12ff3a6db3ad2d1910250034f56f187f4d32f1d337' },
    },
  },
  country: {
    id: 'npm-dbip-country',
    as_of: '2026-06-01',
    licence: 'CC BY 4.0',
    credit: 'IP Geolocation by DB-IP (https://db-ip.com)',
    package: '@ip-location-db/dbip-country',
    version: '2.3.2026060120',
    files: {
      4: {
        name: 'dbip-country-ipv4.csv',
        sha256: '50b222b180a12633984337ba339d10d15a6f4569e93575f2000c2dfd3ac4aec8',
      },
      6: {
        name: 'dbip-country-ipv6.csv',
        sha256: '35f248455fcd319555fad7458315fe8ff2c882c887d70d641db6d05c0272b467',
      },
    },
  },
  delegated: {
    id: 'npm-asn-country',
    as_of: '2026-06-17',
    licence: 'CC BY 4.0',
    credit: 'NRO (nro.net)',
    package: '@ip-location-db/asn-country',
    version: '2.3.2026061719',
    files: {
      4: {
        name: 'asn-country-ipv4.csv',
        sha256: 'd0cf73c39299aff17711c5ae104eadaab3b76225dd45140721a1a4e77883f761',
      },
      6: {
        name: 'asn-country-ipv6.csv',
        sha256: '8da2ff6586c88e2d7c1fec5ca8c300557a9a108b40c1b8c8cbadd03470aae48a',
      },
    },
  },
} as const satisfies Record<string, NpmSource>;

/** The licence of lists that operators publish about their own addresses. */
export const PUBLISHED = 'published by the operator, no licence text';
export const OWN_LICENCE = 'Apache-2.0';
export const OWN_CREDIT = 'Whence';
