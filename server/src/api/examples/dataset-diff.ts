/** The answer about two versions of the dataset, of which little differs. */
import { byFlag } from '@whence/dataset/record';

const NO_48S = { count: 0, slash48s: 0 };
const NONE_V4 = { count: 0, addresses: 0, largest: [] };
const NONE_V6 = { ...NO_48S, largest: [] };
const NO_CHANGE = { ipv4: NONE_V4, ipv6: NONE_V6 };
const UNCHANGED = { gained: NO_CHANGE, lost: NO_CHANGE };

const SOURCE_STATE = { as_of: '2026-11-01', records: 0 };
const SOURCE_IDS = [
  'routes',
  'countries',
  'delegated',
  'crawler',
  'tor',
  'iana-tables',
  'networks',
  'name-rules',
  'type-signals',
];

export const DATASET_DIFF_EXAMPLES = {
  compareDatasetVersions: {
    200: {
      data: {
        from: { version: 1, built_at: '2026-11-14T05:26:10.902Z' },
        to: { version: 2, built_at: '2026-11-15T05:26:11.551Z' },
        limit: 1,
        is_same: false,
        addresses: {
          gained: { ipv4: { count: 1, addresses: 65536 }, ipv6: NO_48S },
          lost: { ipv4: { count: 0, addresses: 0 }, ipv6: NO_48S },
        },
        prefixes: {
          gained: {
            ipv4: {
              count: 1,
              addresses: 65536,
              largest: [{ prefix: '9.0.0.0/16', asn: 22394, asn_name: 'Verizon Wireless', addresses: 65536 }],
            },
            ipv6: NONE_V6,
          },
          lost: NO_CHANGE,
        },
        origins: NO_CHANGE,
        countries: { ipv4: NONE_V4, ipv6: NONE_V6, moves: [] },
        levels: [{ from: 'low', to: 'medium', ipv4: { count: 1, addresses: 1 }, ipv6: NO_48S }],
        flags: {
          ...byFlag(() => UNCHANGED),
          is_tor_exit: {
            gained: {
              ipv4: {
                count: 1,
                addresses: 1,
                largest: [{ network: '1.0.9.9/32', asn: 64500, asn_name: 'Exämple "Nord" GmbH', addresses: 1 }],
              },
              ipv6: NONE_V6,
            },
            lost: NO_CHANGE,
          },
          is_mobile: {
            gained: {
              ipv4: {
                count: 1,
                addresses: 65536,
                largest: [{ network: '9.0.0.0/16', asn: 22394, asn_name: 'Verizon Wireless', addresses: 65536 }],
              },
              ipv6: NONE_V6,
            },
            lost: NO_CHANGE,
          },
        },
        ai_company: NO_CHANGE,
        cloud_provider: NO_CHANGE,
        networks: {
          appeared: { count: 1, largest: [{ asn: 22394, asn_name: 'Verizon Wireless', ipv4_addresses: 65536 }] },
          vanished: { count: 0, largest: [] },
          renamed: { count: 0, largest: [] },
        },
        sources: SOURCE_IDS.map((id) => ({ id, from: SOURCE_STATE, to: SOURCE_STATE })),
      },
      meta: { processing_time_ms: 388 },
    },
  },
};
