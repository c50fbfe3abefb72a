/** Answers about addresses and prefixes. */
import { byFlag } from '@whence/dataset/record';

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
        ...byFlag((flag) => flag === 'is_datacenter'),
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

const { evidence: _, ...ADDRESS_RECORD } = ADDRESS_ANSWERS[200].data;

export const ADDRESS_EXAMPLES = {
  getIp: ADDRESS_ANSWERS,
  getOwnIp: ADDRESS_ANSWERS,
  getIpHistory: {
    200: {
      data: {
        ip: '8.8.8.8',
        changes: [
          {
            from_version: 2,
            to_version: 9,
            from: '2026-11-08T03:00:00.000Z',
            to: '2026-11-15T03:00:00.000Z',
            record: ADDRESS_RECORD,
          },
          { from_version: 1, to_version: 1, from: '2026-11-07T03:00:00.000Z', to: '2026-11-07T03:00:00.000Z' },
        ],
      },
      meta: { processing_time_ms: 12 },
    },
  },
  lookUpBatch: {
    200: {
      data: {
        '8.8.8.8': ADDRESS_RECORD,
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
};
