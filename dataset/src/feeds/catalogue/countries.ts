/** Where addresses are used and where they are registered. */
import type { Feed } from '../feed.ts';
import { PUBLISHED } from '../npm-sources.ts';
import { GITHUB, IP_LOCATION_DB, networksOf } from './publishers.ts';

export const countryFeeds = (): readonly Feed[] => [
  ...(['4', '6'] as const).map(
    (version): Feed => ({
      id: `user-country-v${version}`,
      url: `${IP_LOCATION_DB}/user-country-ipv${version}.csv`,
      format: 'range-csv-cc',
      licence: 'PDDL 1.0',
      credit: 'ip-location-db (https://github.com/sapics/ip-location-db)',
      drives: ['country'],
      refresh_hours: 24,
      mode: 'on',
      min_records: version === '4' ? 100_000 : 30_000,
      max_records: 5_000_000,
    }),
  ),
  {
    id: 'nro',
    url: 'https://ftp.ripe.net/pub/stats/ripencc/nro-stats/latest/nro-delegated-stats',
    format: 'delegated-ext',
    licence: 'CC BY 4.0',
    credit: 'NRO (https://www.nro.net)',
    drives: ['delegation'],
    refresh_hours: 24,
    mode: 'on',
    min_records: 300_000,
    max_records: 2_000_000,
  },

  // Geofeeds of operators (RFC 8805), each only for the networks of its operator. They come before all other sources of
  // countries, the regions of clouds included.
  ...(
    [
      ['starlink', 'Starlink', 'https://geoip.starlinkisp.net/feed.csv', [14593, 27277], 1_000, 50_000],
      [
        'aws',
        'Amazon Web Services',
        'https://ip-ranges.amazonaws.com/geo-ip-feed.csv',
        networksOf('AWS'),
        3_000,
        200_000,
      ],
      ['gcp', 'Google', 'https://www.gstatic.com/ipranges/cloud_geofeed', networksOf('Google Cloud'), 300, 20_000],
      [
        'cloudflare',
        'Cloudflare',
        'https://api.cloudflare.com/local-ip-ranges.csv',
        networksOf('Cloudflare'),
        1_000,
        1_000_000,
      ],
      ['meta', 'Meta', 'https://www.facebook.com/peering/geofeed', [32934, 54115, 63293, 149642], 100, 10_000],
      [
        't-mobile-us',
        'T-Mobile US',
        `${GITHUB}/tmobile/tmus-geofeed/main/tmus-geo-ip.txt`,
        [21928, 22140],
        50,
        100_000,
      ],
      ['ntt', 'NTT', `${GITHUB}/nttgin/geofeeds/master/geofeeds.csv`, [2914], 50, 100_000],
    ] as const
  ).map(
    ([id, credit, url, asns, min_records, max_records]): Feed => ({
      id: `geofeed-${id}`,
      url,
      format: 'geofeed',
      licence: PUBLISHED,
      credit,
      drives: ['country'],
      asns,
      refresh_hours: 24,
      mode: 'on',
      min_records,
      max_records,
    }),
  ),
  {
    id: 'geofeed-microsoft',
    url: 'https://www.microsoft.com/en-us/download/details.aspx?id=53601',
    link: 'https://download\\.microsoft\\.com/[^"\\s]{1,200}\\.csv',
    format: 'geofeed',
    licence: PUBLISHED,
    credit: 'Microsoft',
    drives: ['country'],
    asns: networksOf('Azure'),
    refresh_hours: 168,
    mode: 'on',
    min_records: 3_000,
    max_records: 300_000,
  },
];
