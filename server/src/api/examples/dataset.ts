/** Answers about the dataset in use. */
import { FLAG_SUBJECTS, type FlagSource, type FlagSubject } from '@whence/dataset/record';

/** The sources of the embedded dataset. */
function flagSource(subject: FlagSubject): FlagSource {
  if (subject === 'is_proxy') return { from: 'none', sources: [] };
  return { from: 'tables', sources: ['whence-tables'], as_of: '2026-11-15' };
}

export const DATASET_EXAMPLES = {
  getDataset: {
    200: {
      data: {
        version: 2,
        built_at: '2026-11-15T05:26:11.551Z',
        age_seconds: 3600,
        data_as_of: '2026-06-01',
        data_sources: {
          prefix: { source: 'npm-asn', as_of: '2026-06-17' },
          country: { source: 'npm-dbip-country', as_of: '2026-06-01' },
        },
        sources: [
          {
            id: 'npm-dbip-country',
            as_of: '2026-06-01',
            licence: 'CC BY 4.0',
            credit: 'IP Geolocation by DB-IP (https://db-ip.com)',
            records: 356913,
          },
        ],
        counts: {
          ipv4_intervals: 13,
          ipv6_intervals: 3,
          records: 6,
          tails: 6,
          asns: 4,
          ipv4_prefixes: 4,
          ipv6_prefixes: 1,
        },
        versions: [{ version: 2, built_at: '2026-11-15T05:26:11.551Z', bytes: 531016, current: true }],
        figures: {
          ipv4: {
            announced: 16908544,
            answered_share: 1,
            country_share: 0.99612,
            country_confirmed_share: 2e-5,
            exact_rir_share: 0,
            connection_type_share: 1,
            connection_type_from: { list: 0, table: 0.99612, rule: 0, signals: 0.00388, none: 0 },
          },
          ipv6: {
            announced: 65536,
            answered_share: 1,
            country_share: 1,
            country_confirmed_share: 0,
            exact_rir_share: 0,
            connection_type_share: 1,
            connection_type_from: { list: 0, table: 1, rule: 0, signals: 0, none: 0 },
          },
          country_agreement: [{ sources: ['npm-dbip-country', 'npm-asn-country'], ipv4_addresses: 256, share: 1 }],
          flags: {
            is_datacenter: { records: 5, ipv4_addresses: 16777472, ipv6_48s: 65536 },
            is_tor_exit: { records: 1, ipv4_addresses: 1, ipv6_48s: 0 },
          },
          countries: { US: { ipv4_addresses: 16777472, ipv6_48s: 65536 } },
          registries: { ARIN: { ipv4_addresses: 16843008, ipv6_48s: 65536 } },
        },
        flag_sources: Object.fromEntries(FLAG_SUBJECTS.map((subject) => [subject, flagSource(subject)])),
        quality: [
          {
            field: 'country',
            measure: 'accuracy',
            family: 'ipv4',
            weight: 'prefix',
            value: 0.96,
            n: 100,
            interval: [0.90163, 0.98434],
            labels: 'geofeed of Linode (frozen sample)',
            labels_as_of: '2025-07-24',
            held_out: false,
          },
        ],
        refused: [],
      },
      meta: { processing_time_ms: 0 },
    },
  },
};
