/**
 * Wildcards (RFC 4592), empty non-terminals, CNAME and DNAME: where a new record takes others away.
 */
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { KEYS } from '../dkim-keys.ts';
import { type CorpusCase, HOST, key, MX, mail, NONE, QUARANTINE, REJECT, WORLD } from './world.ts';

const SHOP = 'shop.example.com';
const wildcardMail: ZoneRecords = {
  '*.example.com': { ...MX, TXT: ['v=spf1 mx -all'], A: ['192.0.2.80'] },
};

export const WILDCARD_ZONES: readonly CorpusCase[] = [
  {
    behaviour: 'a name that only a wildcard with MX and SPF answers for',
    domain: SHOP,
    records: { ...mail('v=spf1 mx -all', wildcardMail) },
    scores: [35, 35],
  },
  {
    behaviour: 'a name that only a wildcard answers for, below a policy',
    domain: SHOP,
    records: { ...mail('v=spf1 mx -all', wildcardMail, NONE) },
    scores: [45, 45],
  },
  {
    behaviour: 'a name two labels below a wildcard',
    domain: 'a.shop.example.com',
    records: { ...mail('v=spf1 mx -all', wildcardMail, NONE) },
    scores: [45, 45],
  },
  {
    behaviour: 'a name that only a wildcard with an address answers for',
    domain: SHOP,
    records: { ...mail('v=spf1 mx -all', { '*.example.com': { A: ['192.0.2.80'] } }) },
    scores: [0, 0],
  },
  {
    behaviour: 'a name that only a wildcard alias answers for',
    domain: SHOP,
    records: {
      ...mail('v=spf1 mx -all', {
        '*.example.com': { CNAME: 'host.example.net' },
        'host.example.net': { A: ['192.0.2.81'] },
      }),
    },
    scores: [0, 0],
  },
  {
    behaviour: 'a customer below a suffix with a wildcard',
    domain: 'shop.github.io',
    records: { 'github.io': { A: ['192.0.2.1'] }, '*.github.io': { A: ['192.0.2.2'] } },
    scores: [0, 0],
  },
  {
    behaviour: 'the wildcard carries the DMARC record',
    domain: SHOP,
    records: {
      ...mail('v=spf1 mx -all', {
        '*.example.com': { ...MX, TXT: ['v=DMARC1; p=none; rua=mailto:d@example.com'] },
      }),
    },
    scores: [20, 20],
  },
  {
    behaviour: 'the owner of a wildcard, without DMARC',
    records: mail('v=spf1 mx -all', wildcardMail),
    scores: [65, 100],
  },
  {
    behaviour: 'the owner of a wildcard whose TXT is a DMARC record',
    records: mail('v=spf1 mx -all', {
      '*.example.com': { TXT: ['v=DMARC1; p=quarantine; rua=mailto:d@example.com'] },
    }),
    scores: [90, 100],
  },
  {
    behaviour: 'the owner of a wildcard that lets no host send',
    records: mail('v=spf1 mx ~all', { '*.example.com': { TXT: ['v=spf1 -all'] } }, QUARANTINE),
    scores: [85, 100],
  },
  {
    behaviour: 'the owner of a wildcard alias of the domain itself',
    records: mail('v=spf1 mx -all', { '*.example.com': { CNAME: 'example.com' } }, REJECT),
    scores: [100, 100],
  },
  {
    behaviour: 'the owner of a wildcard alias, without DMARC',
    records: mail('v=spf1 mx -all', {
      '*.example.com': { CNAME: 'host.example.net' },
      'host.example.net': { A: ['192.0.2.81'] },
    }),
    scores: [65, 100],
  },
  {
    behaviour: 'a name with records of its own beside a wildcard',
    domain: SHOP,
    records: {
      ...mail('v=spf1 mx -all', wildcardMail),
      [SHOP]: { ...MX, TXT: ['v=spf1 include:sender.example.net ~all'] },
      ...key('s1', KEYS.strong, SHOP),
    },
    scores: [60, 100],
  },
  {
    behaviour: 'a name with a wildcard of its own, beside another',
    domain: SHOP,
    records: {
      ...mail('v=spf1 mx -all', wildcardMail),
      [SHOP]: { ...MX, TXT: ['v=spf1 mx ~all'] },
      [`*.${SHOP}`]: { ...MX },
      ...key('s1', KEYS.strong, SHOP),
    },
    scores: [60, 100],
  },
  {
    behaviour: 'an empty non-terminal: the name exists through what is below it',
    domain: SHOP,
    records: { ...mail('v=spf1 mx -all', REJECT), [`www.${SHOP}`]: { A: ['192.0.2.82'] } },
    scores: [35, 70],
  },
  {
    behaviour: 'an empty non-terminal beside a wildcard with MX',
    domain: SHOP,
    records: {
      ...mail('v=spf1 mx -all', wildcardMail, REJECT),
      [`www.${SHOP}`]: { A: ['192.0.2.82'] },
    },
    scores: [35, 70],
  },
  {
    behaviour: 'a DNAME at the domain: all names below are aliases',
    records: {
      ...WORLD,
      ...HOST,
      'example.com': {
        MX: [[10, 'mx.example.net']],
        TXT: ['v=spf1 include:sender.example.net ~all'],
        DNAME: 'example.net',
      },
      'mx.example.net': { A: ['192.0.2.25'] },
      '_dmarc.example.net': { TXT: ['v=DMARC1; p=none; rua=mailto:d@example.net'] },
      's1._domainkey.example.net': { TXT: [KEYS.strong] },
    },
    scores: [70, 70],
  },
  {
    behaviour: 'a DNAME to a zone without DMARC',
    records: {
      ...WORLD,
      'example.com': {
        MX: [[10, 'mx.example.net']],
        TXT: ['v=spf1 include:sender.example.net ~all'],
        DNAME: 'example.net',
      },
      'mx.example.net': { A: ['192.0.2.25'] },
      'example.net': { A: ['192.0.2.26'] },
    },
    scores: [30, 30],
  },
  {
    behaviour: 'a name below a DNAME',
    domain: 'shop.old.example.com',
    records: {
      ...mail('v=spf1 mx -all', REJECT),
      'old.example.com': { DNAME: 'example.net' },
      'shop.example.net': { ...MX, TXT: ['v=spf1 mx -all'] },
    },
    scores: [70, 70],
  },
  {
    behaviour: 'the domain is an alias of one with mail',
    domain: 'alias.example.com',
    records: {
      ...mail('v=spf1 mx -all', REJECT),
      'alias.example.com': { CNAME: 'host.example.net' },
      'host.example.net': { ...MX, TXT: ['v=spf1 mx ~all'] },
    },
    scores: [65, 65],
  },
  {
    behaviour: 'the domain is an alias that leads nowhere',
    domain: 'alias.example.com',
    records: {
      ...mail('v=spf1 mx -all', REJECT),
      'alias.example.com': { CNAME: 'gone.example.net' },
    },
    scores: [35, 35],
  },
  {
    behaviour: 'the selector is an alias of a short key',
    records: mail('v=spf1 mx -all', REJECT, {
      's1._domainkey.example.com': { CNAME: 'short.example.net' },
      'short.example.net': { TXT: [KEYS.weak] },
    }),
    scores: [90, 90],
  },
  {
    behaviour: 'a wildcard key below _domainkey',
    records: mail('v=spf1 mx -all', REJECT, { '*._domainkey.example.com': { TXT: [KEYS.strong] } }),
    scores: [100, 100],
  },
  {
    behaviour: 'a wildcard alias below _domainkey that leads nowhere',
    records: mail('v=spf1 mx -all', REJECT, {
      '*._domainkey.example.com': { CNAME: 'gone.example.net' },
    }),
    scores: [100, 100],
  },
  {
    behaviour: 'every name that does not exist has no data (RFC 9824), a name with MX only',
    domain: SHOP,
    records: {
      ...mail('v=spf1 mx -all', NONE, { '*.example.com': {} }),
      [SHOP]: { ...MX },
      [`*.${SHOP}`]: {},
    },
    scores: [20, 40],
  },
  {
    behaviour: 'every name that does not exist has no data (RFC 9824), a name with nothing',
    domain: SHOP,
    records: mail('v=spf1 mx -all', NONE, { '*.example.com': {} }),
    scores: [10, 70],
  },
  {
    behaviour: 'whether a wildcard answers cannot be verified',
    domain: SHOP,
    records: {
      ...mail('v=spf1 mx -all', NONE, { '*.example.com': { fail: 'SERVFAIL' } }),
      [SHOP]: { ...MX },
      [`*.${SHOP}`]: { fail: 'SERVFAIL' },
      [`_dmarc.${SHOP}`]: { TXT: ['another record'] },
      [`_domainkey.${SHOP}`]: {},
    },
    scores: [20, 20],
  },
];
