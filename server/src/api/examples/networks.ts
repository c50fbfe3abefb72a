/** Answers about networks. */

export const NETWORK_EXAMPLES = {
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
};
