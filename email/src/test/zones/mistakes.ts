/**
 * SPF, DKIM and DMARC records as people get them wrong, and what has to be said though they are
 * valid.
 */
import { KEYS } from '../dkim-keys.ts';
import {
  type CorpusCase,
  dmarc,
  hosted,
  key,
  MX,
  mail,
  NONE,
  PARKED,
  QUARANTINE,
  REJECT,
  RUA,
  WORLD,
} from './world.ts';

const many = (count: number, term: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => term(i)).join(' ');
const hosts = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [`h${i}.example.com`, { A: [`192.0.2.${i}`] }]),
);

export const MISTAKEN_ZONES: readonly CorpusCase[] = [
  // Open to everyone.
  { behaviour: '+all with p=reject', records: mail('v=spf1 mx +all', REJECT), scores: [75, 100] },
  {
    behaviour: '+all at a provider',
    records: hosted('mx.zoho.eu', { TXT: ['v=spf1 +all'] }, REJECT),
    scores: [45, 65],
  },
  {
    behaviour: '+all, and no hint of who sends',
    records: hosted('filter.example.org', { TXT: ['v=spf1 +all'] }, REJECT),
    scores: [45, 45],
  },
  {
    behaviour: 'all IPv4 and all IPv6',
    records: mail('v=spf1 mx ip4:0.0.0.0/0 ip6:::/0 -all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'all IPv6 beside +all',
    records: mail('v=spf1 ip6:::/0 mx +all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'two open includes',
    records: mail('v=spf1 mx include:open.example.net include:open2.example.net -all', REJECT, {
      'open2.example.net': { TXT: ['v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 ~all'] },
    }),
    scores: [75, 75],
  },
  {
    behaviour: 'an open include two levels down',
    records: mail('v=spf1 mx include:a.example.net -all', REJECT, {
      'a.example.net': { TXT: ['v=spf1 include:open.example.net ~all'] },
    }),
    scores: [75, 100],
  },
  {
    behaviour: 'two halves of the address space',
    records: mail('v=spf1 mx ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'an open term in a record that is broken',
    records: mail('v=spf1 mx ipv4:0.0.0.0/0 -all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'two records, one of them open',
    records: mail(['v=spf1 mx -all', 'v=spf1 ip4:0.0.0.0/0 -all'], REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'mx/0',
    records: mail('v=spf1 mx/0 a:h1.example.com -all', REJECT, hosts),
    scores: [75, 100],
  },
  {
    behaviour: 'open to everyone, with p=none',
    records: mail('v=spf1 +all', NONE),
    scores: [50, 100],
  },
  {
    behaviour: 'a redirect to an open record',
    records: mail('v=spf1 redirect=open.example.net', NONE),
    scores: [50, 50],
  },
  // Broad, but not open.
  {
    behaviour: 'the /8 of a cloud',
    records: mail('v=spf1 mx ip4:18.0.0.0/8 -all', REJECT),
    scores: [100, 100],
  },
  {
    behaviour: 'three percent of the addresses',
    records: mail('v=spf1 mx ip4:16.0.0.0/5 -all', REJECT),
    scores: [100, 100],
  },
  // Order of terms.
  {
    behaviour: 'redirect after all',
    records: mail('v=spf1 mx ~all redirect=sender.example.net', REJECT),
    scores: [95, 100],
  },
  {
    behaviour: 'redirect before all',
    records: mail('v=spf1 mx redirect=sender.example.net ~all', REJECT),
    scores: [95, 100],
  },
  {
    behaviour: 'redirect to an open record beside all',
    records: mail('v=spf1 mx redirect=open.example.net ~all', REJECT),
    scores: [95, 100],
  },
  {
    behaviour: 'redirect to what does not exist, beside all',
    records: mail('v=spf1 mx redirect=gone.example.net -all', REJECT),
    scores: [100, 100],
  },
  {
    behaviour: 'terms after -all',
    records: mail('v=spf1 mx -all include:sender.example.net ip4:192.0.2.7', REJECT),
    scores: [100, 100],
  },
  {
    behaviour: 'an open term after all',
    records: mail('v=spf1 mx ~all ip4:0.0.0.0/0', REJECT),
    scores: [95, 100],
  },
  { behaviour: 'two all', records: mail('v=spf1 mx ~all -all', REJECT), scores: [95, 100] },
  {
    behaviour: 'a term after all that shows whose key it is',
    records: hosted(
      'filter.example.org',
      { TXT: ['v=spf1 ip4:192.0.2.1 -all include:zohomail.eu ip4:0.0.0.0/0'] },
      key('zmail'),
      REJECT,
    ),
    scores: [100, 100],
  },
  // Texts that were pasted wrongly.
  {
    behaviour: 'typographic quotation marks',
    records: mail('\xe2\x80\x9cv=spf1 mx -all\xe2\x80\x9d', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'no blank between two strings',
    records: mail('v=spf1 include:sender.example.netinclude:strict.example.net -all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'no blank before all',
    records: mail('v=spf1 mx include:sender.example.net~all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'no blank before -all',
    records: mail('v=spf1 mx include:sender.example.net-all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'no blank between two addresses',
    records: mail('v=spf1 ip4:192.0.2.1ip4:192.0.2.2 -all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'commas between terms',
    records: mail('v=spf1, mx, include:sender.example.net, -all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'spf2.0 beside v=spf1',
    records: mail(['v=spf1 mx -all', 'spf2.0/pra mx -all'], REJECT),
    scores: [100, 100],
  },
  {
    behaviour: 'an include of itself',
    records: mail('v=spf1 mx include:example.com -all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'a circle of two records',
    records: mail('v=spf1 mx include:a.example.com -all', REJECT, {
      'a.example.com': { TXT: ['v=spf1 include:example.com -all'] },
    }),
    scores: [75, 75],
  },
  {
    behaviour: 'an include of a name without SPF',
    records: mail('v=spf1 mx include:filter.example.org -all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'only an include that does not exist',
    records: mail('v=spf1 include:gone.example.net -all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'an include whose domain is free',
    records: mail('v=spf1 mx include:spf.gone-example.net -all', REJECT),
    scores: [75, 100],
  },
  {
    behaviour: 'three identical records',
    records: mail(['v=spf1 mx -all', 'v=spf1 mx -all', 'v=spf1 mx -all'], REJECT),
    scores: [75, 100],
  },
  // Limits.
  {
    behaviour: 'exactly ten lookups',
    records: mail(`v=spf1 ${many(10, (i) => `a:h${i}.example.com`)} -all`, REJECT, hosts),
    scores: [100, 100],
  },
  {
    behaviour: 'twelve lookups',
    records: mail(`v=spf1 ${many(12, (i) => `a:h${i}.example.com`)} -all`, REJECT, hosts),
    scores: [80, 80],
  },
  {
    behaviour: 'three terms that find nothing',
    records: mail('v=spf1 mx a:x1.example.com a:x2.example.com a:x3.example.com -all', REJECT),
    scores: [80, 100],
  },
  {
    behaviour: 'two terms that find nothing',
    records: mail('v=spf1 mx a:x1.example.com a:x2.example.com ~all', REJECT),
    scores: [95, 100],
  },
  {
    behaviour: 'only terms that find nothing',
    records: mail('v=spf1 a -all', REJECT),
    scores: [100, 100],
  },
  {
    behaviour: 'one record of 560 bytes',
    records: mail(`v=spf1 ${many(33, (i) => `ip4:192.0.2.${100 + i}`)} -all`, REJECT),
    scores: [100, 100],
  },
  {
    behaviour: 'many verification records',
    records: mail(
      [
        'v=spf1 mx -all',
        ...Array.from(
          { length: 12 },
          (_, i) => `service-${i}-verification=${'0123456789'.repeat(4)}`,
        ),
      ],
      REJECT,
    ),
    scores: [100, 100],
  },
  // DMARC.
  {
    behaviour: 'fo with 0 and 1',
    records: mail(
      'v=spf1 mx -all',
      dmarc(`v=DMARC1; p=reject; ${RUA}; ruf=mailto:f@example.com; fo=0:1:d:s`),
    ),
    scores: [95, 100],
  },
  {
    behaviour: 'quarantine without reports',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=quarantine')),
    scores: [90, 100],
  },
  {
    behaviour: 'pct without reports',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=reject; pct=50')),
    scores: [95, 100],
  },
  {
    behaviour: 'test mode without reports',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=quarantine; t=y')),
    scores: [75, 100],
  },
  {
    behaviour: 'reports only where they are not accepted',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=none; rua=mailto:d@elsewhere.example.org')),
    scores: [75, 100],
  },
  {
    behaviour: 'reports to a web address',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=none; rua=https://reports.example.com/x')),
    scores: [75, 100],
  },
  {
    behaviour: 'reject without reports',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=reject')),
    scores: [100, 100],
  },
  {
    behaviour: 'reject with neither SPF nor DKIM',
    records: { ...WORLD, 'example.com': MX, 'mx.example.com': { A: ['192.0.2.25'] }, ...REJECT },
    scores: [45, 65],
  },
  {
    behaviour: 'typographic quotation marks around DMARC',
    records: mail('v=spf1 mx -all', dmarc(`\xe2\x80\x9cv=DMARC1; p=reject; ${RUA}\xe2\x80\x9d`)),
    scores: [65, 100],
  },
  {
    behaviour: 'no semicolon between two strings of DMARC',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=quarantine${RUA}`)),
    scores: [65, 100],
  },
  {
    behaviour: 'upper case throughout',
    records: mail('V=SPF1 MX -ALL', dmarc('V=DMARC1; P=NONE; RUA=mailto:D@example.com')),
    scores: [75, 100],
  },
  // DKIM.
  {
    behaviour: 'a key cut at 255 characters',
    records: mail('v=spf1 mx -all', REJECT, key('s1', KEYS.strong.slice(0, 255))),
    scores: [70, 70],
  },
  {
    behaviour: 'a key with PEM headers',
    records: mail(
      'v=spf1 mx -all',
      REJECT,
      key(
        's1',
        `v=DKIM1; p=-----BEGIN PUBLIC KEY-----${KEYS.strong.slice(18)}-----END PUBLIC KEY-----`,
      ),
    ),
    scores: [70, 70],
  },
  {
    behaviour: 'a short key under test',
    records: mail('v=spf1 mx -all', REJECT, key('s1', KEYS.weak.replace('k=rsa', 'k=rsa; t=y'))),
    scores: [90, 90],
  },
  {
    behaviour: 'a revoked key beside a good one',
    records: mail('v=spf1 mx -all', REJECT, key('s2', 'v=DKIM1; p=')),
    scores: [100, 100],
  },
  {
    behaviour: 'two records at a selector',
    records: mail('v=spf1 mx -all', REJECT, {
      's1._domainkey.example.com': { TXT: [KEYS.strong, KEYS.strong.replace('k=rsa; ', '')] },
    }),
    scores: [70, 70],
  },
  {
    behaviour: 'two broken keys',
    records: mail(
      'v=spf1 mx -all',
      REJECT,
      key('s1', KEYS.strong.replace('DKIM1', 'dkim1')),
      key('s2', KEYS.strong.replace('k=rsa', 'k=rsa; h=sha1')),
    ),
    scores: [70, 100],
  },
  {
    behaviour: 'test mode and missing padding',
    records: mail(
      'v=spf1 mx -all',
      REJECT,
      key('s1', KEYS.strong.replace('k=rsa', 'k=rsa; t=y').replace(/=+$/, '')),
    ),
    scores: [100, 100],
  },
  // Temporary failures.
  {
    behaviour: 'MX cannot be read',
    records: { ...WORLD, 'example.com': { TXT: ['v=spf1 -all'], fail: { MX: 'SERVFAIL' } } },
    scores: [25, 30],
  },
  {
    behaviour: 'an MX host cannot be read',
    records: mail('v=spf1 mx -all', REJECT, { 'mx.example.com': { fail: 'timeout' } }),
    scores: [90, 90],
  },
  {
    behaviour: 'a selector cannot be read, and no other has a key',
    records: { ...WORLD, 'example.com': PARKED, 's1._domainkey.example.com': { fail: 'SERVFAIL' } },
    scores: [35, 40],
  },
  {
    behaviour: 'a selector cannot be read beside a good key',
    records: mail('v=spf1 mx -all', REJECT, { 's2._domainkey.example.com': { fail: 'SERVFAIL' } }),
    scores: [100, 100],
  },
  {
    behaviour: 'the host of the reports cannot be read',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=none; rua=mailto:d@reports.example.org'), {
      'example.com._report._dmarc.reports.example.org': { fail: 'timeout' },
      'reports.example.org': MX,
    }),
    scores: [75, 75],
  },
  {
    behaviour: 'the parent of a subdomain cannot be read',
    domain: 'a.example.com',
    records: { ...WORLD, 'a.example.com': PARKED, '_dmarc.example.com': { fail: 'SERVFAIL' } },
    scores: [35, 35],
  },
  {
    behaviour: 'everything is down',
    records: { 'example.com': { fail: 'SERVFAIL' }, '_dmarc.example.com': { fail: 'SERVFAIL' } },
    scores: [0, 0],
  },
  { behaviour: 'quarantine that waits for SPF', records: mail([], QUARANTINE), scores: [65, 100] },
];
