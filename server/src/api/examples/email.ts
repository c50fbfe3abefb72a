/** The answer about an email domain. */

export const EMAIL_EXAMPLES = {
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
};
