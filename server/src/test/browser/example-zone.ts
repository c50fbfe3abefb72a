import type { startScriptedDnsServer } from '@whence/testing/scripted-dns-server';

/** A domain with something to say about each part. */
export const EXAMPLE_ZONE: Parameters<typeof startScriptedDnsServer>[0] = {
  'example.com': {
    MX: [[10, 'mx.example.com']],
    TXT: ['v=spf1 mx ip4:3.0.0.0/24 include:spf.example.com ~all'],
  },
  'mx.example.com': { A: ['8.8.8.8'] },
  'spf.example.com': { TXT: ['v=spf1 ip4:9.0.0.0/16 -all'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@example.com'] },
  '_mta-sts.example.com': { TXT: ['v=STSv1; id=1;'] },
};
