/**
 * Example answers of the OpenAPI document, by operation and status. Refusals that consist of a text and a code are made
 * from the error table. A test validates all of them against their schemas.
 */
import { FLAG_SUBJECTS, type FlagSource, type FlagSubject } from '@whence/dataset/record';

/** The sources of the embedded dataset. */
function flagSource(subject: FlagSubject): FlagSource {
  if (subject === 'is_proxy') return { from: 'none', sources: [] };
  return { from: 'tables', sources: ['whence-tables'], as_of: '2026-11-15' };
}

const NO_48S = { count: 0, slash48s: 0 };
const NONE_V4 = { count: 0, addresses: 0, largest: [] };
const NONE_V6 = { ...NO_48S, largest: [] };
const NO_CHANGE = { ipv4: NONE_V4, ipv6: NONE_V6 };
const UNCHANGED = { gained: NO_CHANGE, lost: NO_CHANGE };

const ADDRESS_ANSWERS = {
  200: {
    data: {
      ip: '8.8.8.8',
      prefix: '8.8.8.0/24',
      asn: 15169,
      asn_name: 'Google LLC',
      country: 'US',
      rir: 'ARIN',
      connection_type: 'datacenter',
      detection: {
        is_datacenter: true,
        is_tor_exit: false,
        is_proxy: false,
        is_vpn: false,
        is_residential: false,
        is_mobile: false,
        is_ai_crawler: false,
        cloud_provider: 'Google Cloud',
      },
      threat: { score: 0, level: 'low' },
      evidence: [
        { field: 'prefix', value: '8.8.8.0/24', source: 'npm-asn', prefix: '8.8.8.0/24', as_of: '2026-11-01' },
        { field: 'asn', value: 15169, source: 'npm-asn', prefix: '8.8.8.0/24', as_of: '2026-11-01' },
        { field: 'asn_name', value: 'Google LLC', source: 'npm-asn', prefix: '8.8.8.0/24', as_of: '2026-11-01' },
        { field: 'country', value: 'US', source: 'npm-dbip-country', prefix: '8.8.8.0/24', as_of: '2026-11-01' },
        { field: 'rir', value: 'ARIN', source: 'iana-tables', prefix: '8.8.8.0/24', as_of: '2026-11-01' },
        {
          field: 'connection_type',
          value: 'datacenter',
          source: 'networks',
          prefix: '8.8.8.0/24',
          as_of: '2026-11-01',
        },
        {
          field: 'cloud_provider',
          value: 'Google Cloud',
          source: 'networks',
          prefix: '8.8.8.0/24',
          as_of: '2026-11-01',
        },
      ],
    },
    meta: {
      request_id: '0e4f1b8a-7c55-4d0c-9a53-1e0f6f0b7a11',
      processing_time_ms: 7,
      cache_status: 'MISS',
      dataset_version: 2,
    },
  },
  404: {
    data: {
      error: 'no data found for IP',
      code: 'NOT_FOUND',
      details: { prefix: '10.0.0.0/8', name: 'Private use', rfc: 'RFC 1918' },
    },
    meta: { cache_status: 'MISS', dataset_version: 2, processing_time_ms: 0 },
  },
};

export const ANSWER_EXAMPLES: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  getHealth: { 200: { data: { status: 'ok' }, meta: { processing_time_ms: 0 } } },
  getReadiness: {
    200: {
      data: {
        status: 'ready',
        checks: { dataset: 'ok', storage: 'ok' },
        dataset_version: 2,
        dataset_age_seconds: 0,
        data_as_of: '2026-06-01',
        data_age_seconds: 14_428_800,
        unknown_flags: ['is_proxy'],
        dated_flags: ['is_tor_exit', 'blocklists'],
      },
      meta: { processing_time_ms: 10 },
    },
    503: {
      data: { error: 'not ready', code: 'NOT_READY', checks: { dataset: 'missing', storage: 'ok' } },
      meta: { processing_time_ms: 0 },
    },
  },
  getIp: ADDRESS_ANSWERS,
  getOwnIp: ADDRESS_ANSWERS,
  lookUpBatch: {
    200: {
      data: {
        '8.8.8.8': {
          ip: '8.8.8.8',
          prefix: '8.8.8.0/24',
          asn: 15169,
          asn_name: 'Google LLC',
          country: 'US',
          rir: 'ARIN',
          connection_type: 'datacenter',
          detection: {
            is_datacenter: true,
            is_tor_exit: false,
            is_proxy: false,
            is_vpn: false,
            is_residential: false,
            is_mobile: false,
            is_ai_crawler: false,
            cloud_provider: 'Google Cloud',
          },
          threat: { score: 0, level: 'low' },
        },
        '10.0.0.1': { error: 'no data found for IP', code: 'NOT_FOUND' },
        nonsense: { error: 'invalid IP address', code: 'INVALID_IP' },
      },
      meta: { request_id: '0e4f1b8a-7c55-4d0c-9a53-1e0f6f0b7a11', processing_time_ms: 2 },
    },
  },
  getPrefix: {
    200: {
      data: {
        prefix: '8.8.8.0/24',
        announced_share: 1,
        parts: [
          {
            first: '8.8.8.0',
            last: '8.8.8.255',
            prefix: '8.8.8.0/24',
            asn: 15169,
            asn_name: 'Google LLC',
            country: 'US',
            connection_type: 'datacenter',
            flags: ['is_datacenter'],
            share: 1,
          },
        ],
        networks: [{ asn: 15169, asn_name: 'Google LLC', share: 1 }],
        types: [{ connection_type: 'datacenter', share: 1 }],
        countries: [{ country: 'US', share: 1 }],
        flags: [{ flag: 'is_datacenter', share: 1 }],
      },
      meta: { processing_time_ms: 0 },
    },
  },
  getAsn: {
    200: {
      data: {
        asn: 15169,
        asn_name: 'Google LLC',
        country: 'US',
        rir: 'ARIN',
        connection_type: 'datacenter',
        is_announced: true,
        prefix_count: { ipv4: 1, ipv6: 1 },
        address_count: { ipv4: 256 },
        cloud_provider: 'Google Cloud',
        prefixes: { ipv4: ['8.8.8.0/24'], ipv6: ['2001:4860::/32'] },
      },
      meta: { processing_time_ms: 1 },
    },
  },
  searchAsn: {
    200: {
      data: {
        query: 'google',
        limit: 5,
        count: 1,
        total: 1,
        results: [
          {
            asn: 15169,
            asn_name: 'Google LLC',
            country: 'US',
            rir: 'ARIN',
            connection_type: 'datacenter',
            is_announced: true,
            prefix_count: { ipv4: 1, ipv6: 1 },
            cloud_provider: 'Google Cloud',
          },
        ],
      },
      meta: { processing_time_ms: 1 },
    },
  },
  checkEmailDomain: {
    200: {
      data: {
        domain: 'example.com',
        domain_auth_score: 70,
        grade: 'C',
        mx: { records: ['mx.example.com'], is_valid: true, errors: [] },
        spf: {
          raw: 'v=spf1 mx ip4:3.0.0.0/24 -all',
          mechanisms: ['mx', 'ip4:3.0.0.0/24', '-all'],
          all_qualifier: '-',
          is_valid: true,
          is_permissive: false,
          validation_errors: [],
          dns_lookup_count: 1,
          exceeds_lookups: false,
        },
        dkim: [
          {
            selector: 'google',
            found: false,
            raw: '',
            key_type: '',
            key_bits: 0,
            is_valid: false,
            validation_errors: ['selector_not_found: there is no TXT record for selector "google"'],
          },
        ],
        dmarc: {
          raw: 'v=DMARC1; p=reject; rua=mailto:dmarc@example.com',
          version: 'DMARC1',
          policy: 'reject',
          subdomain_policy: 'reject',
          effective_policy: 'reject',
          percentage: 100,
          aggregate_report_uris: ['mailto:dmarc@example.com'],
          forensic_report_uris: [],
          dkim_alignment: 'r',
          spf_alignment: 'r',
          failure_options: '0',
          report_interval: 86400,
          organizational_domain: 'example.com',
          record_domain: 'example.com',
          inherited: false,
          partial_rollout: false,
          no_visibility: false,
          strength_rating: 'strong',
          is_valid: true,
          validation_errors: [],
        },
        recommendations: [
          'No DKIM key was found under the selectors given. Have your mail server sign with a 2048-bit RSA key, and publish the key as a TXT record at SELECTOR._domainkey.example.com.',
        ],
      },
      meta: { processing_time_ms: 201 },
    },
  },
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
          is_datacenter: UNCHANGED,
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
          is_proxy: UNCHANGED,
          is_vpn: UNCHANGED,
          is_residential: UNCHANGED,
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
          is_ai_crawler: UNCHANGED,
        },
        ai_company: NO_CHANGE,
        cloud_provider: NO_CHANGE,
        networks: {
          appeared: { count: 1, largest: [{ asn: 22394, asn_name: 'Verizon Wireless', ipv4_addresses: 65536 }] },
          vanished: { count: 0, largest: [] },
          renamed: { count: 0, largest: [] },
        },
        sources: [
          { id: 'routes', from: { as_of: '2026-11-01', records: 0 }, to: { as_of: '2026-11-01', records: 0 } },
          { id: 'countries', from: { as_of: '2026-11-01', records: 0 }, to: { as_of: '2026-11-01', records: 0 } },
          { id: 'delegated', from: { as_of: '2026-11-01', records: 0 }, to: { as_of: '2026-11-01', records: 0 } },
          { id: 'crawler', from: { as_of: '2026-11-01', records: 0 }, to: { as_of: '2026-11-01', records: 0 } },
          { id: 'tor', from: { as_of: '2026-11-01', records: 0 }, to: { as_of: '2026-11-01', records: 0 } },
          { id: 'iana-tables', from: { as_of: '2026-11-01', records: 0 }, to: { as_of: '2026-11-01', records: 0 } },
          { id: 'networks', from: { as_of: '2026-11-01', records: 0 }, to: { as_of: '2026-11-01', records: 0 } },
          { id: 'name-rules', from: { as_of: '2026-11-01', records: 0 }, to: { as_of: '2026-11-01', records: 0 } },
          { id: 'type-signals', from: { as_of: '2026-11-01', records: 0 }, to: { as_of: '2026-11-01', records: 0 } },
        ],
      },
      meta: { processing_time_ms: 388 },
    },
  },
};
