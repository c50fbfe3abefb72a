/** Names of networks. */
import type { Feed } from '../feed.ts';
import { GITHUB, RIPE_TERMS } from './publishers.ts';

export const nameFeeds: readonly Feed[] = [
  {
    id: 'asn2org',
    url: 'https://vincentbernat.github.io/asn2org/asns.csv',
    format: 'asn2org-csv',
    licence: 'CC0 1.0',
    credit: 'asn2org (https://vincentbernat.github.io/asn2org)',
    drives: ['names'],
    refresh_hours: 168,
    mode: 'on',
    min_records: 60_000,
    max_records: 600_000,
  },
  {
    id: 'as-metadata',
    url: `${GITHUB}/ipverse/as-metadata/master/as.csv`,
    format: 'as-metadata-csv',
    licence: 'CC0 1.0',
    credit: 'ipverse (https://github.com/ipverse/as-metadata)',
    drives: ['names'],
    refresh_hours: 168,
    mode: 'opt-in',
    min_records: 60_000,
    max_records: 600_000,
  },
  {
    id: 'ripe-asnames',
    url: 'https://ftp.ripe.net/ripe/asnames/asn.txt',
    format: 'asnames',
    licence: RIPE_TERMS,
    credit: 'RIPE NCC (https://ftp.ripe.net/ripe/asnames)',
    drives: ['names'],
    refresh_hours: 24,
    mode: 'on',
    min_records: 60_000,
    max_records: 600_000,
  },
];
