/** The dataset and the zones of tests that compare ways to the same answer. */
import { generateKeyPairSync } from 'node:crypto';
import type { Sample } from '@whence/dataset/test/sample-dataset';
import type { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { SAMPLE } from '../test-server.ts';

/** Escape sequences of a terminal: CSI, OSC, C1, a right-to-left override. */
export const HOSTILE = '\u001b[31m\u001b]52;c;AAAA\u0007\u009b2J\u202e';
const dkimKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
  type: 'spki',
  format: 'der',
});

export const SHARED_SAMPLE: Sample = {
  ...SAMPLE,
  routes: [...SAMPLE.routes, ['5.0.0.0/16', 64501, `Evil ${HOSTILE}`]],
};

export const SHARED_ZONE: Parameters<typeof startScriptedDnsServer>[0] = {
  'example.com': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 mx -all'] },
  'mx.example.com': { A: ['8.8.8.8'] },
  'good.example': {
    MX: [[10, 'mx.example.com']],
    TXT: ['v=spf1 include:spf.good.example -all'],
  },
  'spf.good.example': { TXT: ['v=spf1 ip4:8.8.8.0/26 -all'] },
  'referring.example': {
    MX: [[10, 'mx.example.com']],
    TXT: ['v=spf1 include:spf.good.example include:gone.example -all'],
  },
  'google._domainkey.referring.example': { TXT: [`v=DKIM1; p=${dkimKey.toString('base64')}`] },
  '_dmarc.referring.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@referring.example'] },
  'google._domainkey.good.example': { TXT: [`v=DKIM1; p=${dkimKey.toString('base64')}`] },
  'mine._domainkey.good.example': { TXT: [`v=DKIM1; p=${dkimKey.toString('base64')}`] },
  '_dmarc.good.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@good.example'] },
  'parked.example': { MX: [[0, '.']], TXT: ['v=spf1 -all'] },
  '_dmarc.parked.example': { TXT: ['v=DMARC1; p=reject'] },
  'open.example': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 +all'] },
  'evil.example': {
    MX: [[10, 'mx.example.com']],
    TXT: [`v=spf1 include:${HOSTILE}.example ${HOSTILE} -all`],
  },
  '_dmarc.evil.example': { TXT: [`v=DMARC1; p=${HOSTILE}; rua=mailto:${HOSTILE}@x`] },
  'partly.example': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 ip4:8.8.8.8 -all'] },
  '_dmarc.partly.example': { fail: 'SERVFAIL' },
  '8.8.8.8.in-addr.arpa': { PTR: ['mx.example.com'] },
  'broken.example': { fail: 'SERVFAIL' },
  '_dmarc.broken.example': { fail: 'SERVFAIL' },
};
