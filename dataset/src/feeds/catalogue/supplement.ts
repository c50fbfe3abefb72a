/** The supplement: what is known of addresses beside their records. */
import type { Feed } from '../feed.ts';
import { GITHUB } from './publishers.ts';

export const supplementFeeds: readonly Feed[] = [
  {
    // A month's file appears on its first or second day.
    id: 'dbip-city-lite',
    url: 'https://download.db-ip.com/free/dbip-city-lite-{yyyy}-{mm}.csv.gz',
    format: 'dbip-city-csv',
    licence: 'CC BY 4.0',
    credit: 'IP Geolocation by DB-IP (https://db-ip.com)',
    drives: ['location'],
    refresh_hours: 24,
    mode: 'opt-in',
    min_records: 2_000_000,
    max_records: 10_000_000,
    max_bytes: 2_000_000_000,
  },
  ...(['4', '6'] as const).map(
    (version): Feed => ({
      id: `anycast-v${version}`,
      url: `${GITHUB}/bgptools/anycast-prefixes/master/anycatch-v${version}-prefixes.txt`,
      format: 'cidr-lines',
      licence: 'none found',
      credit: 'bgp.tools (https://github.com/bgptools/anycast-prefixes)',
      drives: ['is_anycast'],
      refresh_hours: 24,
      mode: 'opt-in',
      min_records: version === '4' ? 2_000 : 800,
      max_records: 50_000,
    }),
  ),
  {
    id: 'peeringdb-ixpfx',
    url: 'https://www.peeringdb.com/api/ixpfx?fields=prefix,ixlan_id,status',
    format: 'peeringdb-ixpfx',
    licence: 'PeeringDB Acceptable Use Policy',
    credit: 'PeeringDB (https://www.peeringdb.com)',
    drives: ['exchange'],
    refresh_hours: 168,
    mode: 'opt-in',
    min_records: 500,
    max_records: 50_000,
  },
  {
    id: 'peeringdb-ix',
    url: 'https://www.peeringdb.com/api/ix?fields=id,name',
    format: 'peeringdb-ix',
    licence: 'PeeringDB Acceptable Use Policy',
    credit: 'PeeringDB (https://www.peeringdb.com)',
    drives: ['exchange'],
    refresh_hours: 168,
    mode: 'opt-in',
    min_records: 300,
    max_records: 20_000,
  },
];
