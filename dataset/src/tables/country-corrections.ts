/**
 * Where DB-IP's country is wrong for a whole network, and the country of registration is right. Both rules were
 * measured against the agreement of two independent databases, by address and by prefix, in %:
 *
 *   DB-IP alone                                                          96.8   89.3
 *   the country of registration where it says GB for Amazon              98.4   89.5
 *   and where it says US for Microsoft                                   98.6   89.5
 *
 * All of the gain is in space that the two clouds do not list for their customers. Inside their lists DB-IP is right, so
 * the ranges below, whose regions confirm it, are excepted; they are 99 % of what the rules would get wrong.
 *
 * Rules that sound as good are worse: the country of registration for Amazon always 97.5 / 89.4, for all clouds 96.5 /
 * 89.1, for large transit networks 98.5 / 87.2, wherever DB-IP's answer is rare in the network 95.0 / 86.7.
 */
import { cloud } from './networks/cloud.ts';

const AMAZON: ReadonlySet<number> = new Set([16509, 14618]);
const MICROSOFT: ReadonlySet<number> = new Set(cloud['Azure']);

/**
 * Smaller ones, from what is known of the operators: DB-IP puts the anycast ranges of Cloudflare and Google's resolvers
 * into Canada, and blocks of Hetzner into countries where it has no data centre.
 */
const OTHERS: ReadonlyMap<number, readonly string[]> = new Map([
  [13335, ['CA']],
  [15169, ['CA']],
  [24940, ['GB', 'IR']],
]);

/** Whether DB-IP is known to be wrong when it says this country for addresses of this network. */
export function isDbipMistaken(asn: number, country: string): boolean {
  if (country === 'GB' && AMAZON.has(asn)) return true;
  if (country === 'US' && MICROSOFT.has(asn)) return true;
  return OTHERS.get(asn)?.includes(country) === true;
}

/**
 * Large ranges of the clouds' own lists (2025-07-25) in which DB-IP is right and a rule above would say otherwise. `id`
 * is that of the feed with the whole list, which replaces this table.
 */
export const CONFIRMED_REGIONS = [
  {
    id: 'aws',
    as_of: '2025-07-25',
    credit: 'Amazon Web Services',
    country: 'GB',
    prefixes: `
      3.8.0.0/14 13.40.0.0/14 13.134.0.0/15 16.60.0.0/15 18.98.160.0/19 18.130.0.0/16 18.132.0.0/14
      18.168.0.0/14 18.175.0.0/16 35.176.0.0/14 51.24.0.0/16 51.200.0.0/15 52.56.0.0/16 52.94.32.0/19
      52.94.160.0/20 83.119.64.0/18`,
  },
  {
    id: 'azure',
    as_of: '2025-07-25',
    credit: 'Microsoft',
    country: 'US',
    prefixes: `
      9.169.0.0/16 9.234.0.0/16 48.208.144.0/20 48.211.0.0/16 48.214.0.0/16 48.216.0.0/15 48.219.0.0/18
      48.219.128.0/20 48.219.240.0/20 48.221.0.0/16 48.223.0.0/16 51.8.0.0/16 51.57.0.0/17 51.141.160.0/19
      51.143.0.0/17 57.151.0.0/16 57.152.0.0/16 57.154.0.0/16 64.236.0.0/16 128.24.0.0/16 128.85.0.0/16
      128.203.0.0/16 130.131.0.0/16 130.213.0.0/16 132.196.0.0/16 134.33.0.0/16 134.138.128.0/17
      135.18.0.0/16 135.119.0.0/16 135.222.0.0/16 135.224.0.0/16 135.232.0.0/15 135.234.0.0/16
      135.237.0.0/16 145.132.0.0/16 145.190.0.0/19 145.190.32.0/20 172.168.0.0/13 172.176.0.0/13
      172.184.0.0/15 172.190.0.0/15 172.193.0.0/16 172.200.0.0/16 172.202.0.0/15 172.206.0.0/16
      172.208.0.0/16 172.210.0.0/16 172.212.0.0/16 172.214.0.0/15 191.233.144.0/20 191.234.32.0/19
      191.236.0.0/16 191.237.0.0/17 191.237.128.0/18 191.238.0.0/18 191.238.144.0/20 191.238.160.0/19
      191.238.224.0/19 191.239.0.0/18 191.239.224.0/20 193.149.64.0/20`,
  },
] as const;
