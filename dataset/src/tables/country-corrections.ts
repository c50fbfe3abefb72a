/**
 * Where DB-IP's country is wrong for a whole network, and the country of registration is right. The rule for Amazon was
 * measured against the agreement of two independent databases, by address and by prefix, in %:
 *
 *   DB-IP alone                                                          96.8   89.3
 *   the country of registration where it says GB for Amazon              98.4   89.5
 *
 * The gain is in space that Amazon does not list for its customers. Where Amazon's list names the United Kingdom, DB-IP
 * is right, so the ranges below are excepted.
 *
 * Similar rules give worse results: the country of registration for Amazon always 97.5 / 89.4, for all clouds 96.5 /
 * 89.1, for large transit networks 98.5 / 87.2, wherever DB-IP's answer is rare in the network 95.0 / 86.7. A rule for
 * Microsoft where DB-IP says US seemed to gain 0.2 points on the same databases; Microsoft's geofeed agrees with DB-IP
 * for 1,182,072 of these addresses and with the rule for 228.
 */

const AMAZON: ReadonlySet<number> = new Set([16509, 14618]);

/**
 * Smaller corrections, from what is known about the operators: DB-IP puts the anycast ranges of Cloudflare and Google's resolvers
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
  return OTHERS.get(asn)?.includes(country) === true;
}

/**
 * The ranges for which Amazon's list names the United Kingdom, as DB-IP does, and the rule above would say otherwise.
 * `id` is that of the feed with the whole list, which replaces this table.
 */
export const CONFIRMED_REGIONS = [
  {
    id: 'aws',
    as_of: '2026-08-22',
    credit: 'Amazon Web Services',
    country: 'GB',
    prefixes: `
      1.178.94.0/24 3.2.48.0/24 3.2.72.0/24 3.5.244.0/22 3.8.0.0/14 3.41.0.0/17 13.40.0.0/14 13.134.0.0/15
      13.248.101.0/24 13.248.120.0/24 15.129.8.0/21 15.129.74.0/23 15.177.78.0/24 15.193.5.0/24 15.193.144.0/22
      15.221.48.0/24 15.248.28.0/22 16.12.15.0/24 16.12.16.0/23 16.60.0.0/15 16.214.20.0/22 18.98.160.0/19
      18.130.0.0/16 18.132.0.0/14 18.168.0.0/14 18.175.0.0/16 35.34.96.0/24 35.71.111.0/24 35.176.0.0/14
      45.33.181.0/24 51.24.0.0/16 51.200.0.0/15 52.56.0.0/16 52.93.56.0/24 52.93.80.0/24 52.93.138.0/23
      52.93.255.0/24 52.94.15.0/24 52.94.32.0/19 52.94.112.0/22 52.94.160.0/20 52.95.142.0/23 52.95.144.0/24
      52.95.148.0/23 52.95.150.0/24 52.95.191.0/24 52.95.239.0/24 52.95.253.0/24 52.219.219.0/24 54.239.100.0/23
      63.249.176.0/23 63.249.178.0/24 64.66.160.0/24 64.252.82.0/23 64.252.84.0/23 83.119.64.0/18 99.77.134.0/24
      99.77.156.0/24 99.77.249.0/24 99.82.169.0/24 99.150.40.0/21 150.247.47.0/24 151.148.41.0/24
      173.83.206.0/23 208.78.132.0/23 208.78.135.0/24 216.39.136.0/21 216.39.152.0/21 216.198.238.0/23
      216.244.38.0/23`,
  },
] as const;
