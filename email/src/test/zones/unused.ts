/**
 * Parked domains, names for the web only, public suffixes, and trees of DMARC records (RFC 9989).
 */
import { KEYS } from '../dkim-keys.ts';
import {
  type CorpusCase,
  dmarc,
  HOST,
  key,
  MX,
  mail,
  PARKED,
  REJECT,
  RUA,
  WORLD,
} from './world.ts';

const sub = (parent: string, entry: Record<string, unknown> = {}) => ({
  ...mail('v=spf1 mx -all', dmarc(parent)),
  'a.example.com': { ...MX, TXT: ['v=spf1 mx -all'], ...entry },
  ...key('s1', KEYS.strong, 'a.example.com'),
});
const SUB = 'a.example.com';

export const UNUSED_ZONES: readonly CorpusCase[] = [
  {
    behaviour: 'finished: null MX, -all, reject',
    records: { 'example.com': PARKED, ...dmarc('v=DMARC1; p=reject') },
    scores: [70, 70],
  },
  {
    behaviour: 'finished below a strict parent',
    domain: SUB,
    records: { ...mail('v=spf1 mx -all', REJECT), 'a.example.com': PARKED },
    scores: [70, 70],
  },
  {
    behaviour: 'web only',
    records: { 'example.com': { A: ['192.0.2.1'] }, 'www.example.com': { A: ['192.0.2.1'] } },
    scores: [0, 70],
  },
  {
    behaviour: 'web only, below a policy',
    domain: 'www.example.com',
    records: { ...mail('v=spf1 mx -all', REJECT), 'www.example.com': { A: ['192.0.2.1'] } },
    scores: [35, 70],
  },
  {
    behaviour: 'web only, below p=none',
    domain: 'www.example.com',
    records: {
      ...mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=none; ${RUA}`)),
      'www.example.com': { A: ['192.0.2.1'] },
    },
    scores: [10, 70],
  },
  { behaviour: 'nothing but name servers', records: { 'example.com': {} }, scores: [0, 70] },
  {
    behaviour: 'nothing but a verification record',
    records: { 'example.com': { TXT: ['google-site-verification=x'] } },
    scores: [0, 70],
  },
  {
    behaviour: '-all without MX',
    records: { 'example.com': { A: ['192.0.2.1'], TXT: ['v=spf1 -all'] } },
    scores: [25, 70],
  },
  {
    behaviour: '-all with MX, without a key',
    records: { ...HOST, 'example.com': { ...MX, TXT: ['v=spf1 -all'] } },
    scores: [35, 45],
  },
  {
    behaviour: 'a null MX and p=none',
    records: { 'example.com': PARKED, ...dmarc('v=DMARC1; p=none') },
    scores: [40, 70],
  },
  {
    behaviour: 'a null MX, and reject for half',
    records: { 'example.com': PARKED, ...dmarc('v=DMARC1; p=reject; pct=50') },
    scores: [65, 70],
  },
  {
    behaviour: 'a null MX, and reject in test mode',
    records: { 'example.com': PARKED, ...dmarc('v=DMARC1; p=reject; t=y') },
    scores: [60, 70],
  },
  {
    behaviour: 'parked, with reports to another domain',
    records: {
      ...WORLD,
      'example.com': PARKED,
      ...dmarc('v=DMARC1; p=quarantine; rua=mailto:x@reports.example.net'),
    },
    scores: [60, 70],
  },
  {
    behaviour: 'parked, with a wildcard that parks all names',
    records: {
      'example.com': PARKED,
      '*.example.com': { MX: [[0, '.']], TXT: ['v=spf1 -all'] },
      '*._domainkey.example.com': { TXT: ['v=DKIM1; p='] },
      ...dmarc('v=DMARC1; p=reject; sp=reject'),
    },
    scores: [70, 70],
  },
  {
    behaviour: 'parked, with a wildcard, without DMARC',
    records: { 'example.com': PARKED, '*.example.com': { MX: [[0, '.']], TXT: ['v=spf1 -all'] } },
    scores: [35, 70],
  },
  {
    behaviour: 'parked, two DMARC records',
    records: {
      'example.com': PARKED,
      '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] },
    },
    scores: [35, 35],
  },
  {
    behaviour: 'parked, an aliased _dmarc',
    records: {
      'example.com': PARKED,
      '_dmarc.example.com': { CNAME: 'parked.example.net' },
      'parked.example.net': { TXT: ['v=DMARC1; p=reject'] },
    },
    scores: [70, 70],
  },
  {
    behaviour: 'no MX, SPF that lets a server send',
    records: { 'example.com': { A: ['192.0.2.1'], TXT: ['v=spf1 a ~all'] } },
    scores: [20, 40],
  },
  {
    behaviour: 'no MX and no address, SPF that lets a service send',
    records: {
      ...WORLD,
      'example.com': { TXT: ['v=spf1 include:sendgrid.net ~all'] },
      ...key('s1'),
    },
    scores: [50, 65],
  },
  {
    behaviour: 'a null MX that has a preference',
    records: { 'example.com': { MX: [[10, '.']], TXT: ['v=spf1 -all'] } },
    scores: [25, 30],
  },
  {
    behaviour: 'a null MX beside a host',
    records: {
      ...HOST,
      'example.com': {
        MX: [
          [0, '.'],
          [10, 'mx.example.com'],
        ],
        TXT: ['v=spf1 mx -all'],
      },
    },
    scores: [30, 40],
  },
  // Public suffixes.
  {
    behaviour: 'co.uk with an address',
    domain: 'co.uk',
    records: { 'co.uk': { A: ['192.0.2.1'] }, 'shop.co.uk': { ...MX }, ...HOST },
    scores: [0, 70],
  },
  {
    behaviour: 'co.uk with nothing',
    domain: 'co.uk',
    records: { 'shop.co.uk': { A: ['192.0.2.2'] } },
    scores: [0, 70],
  },
  {
    behaviour: 'a suffix with psd=y and none',
    domain: 'gov.uk',
    records: {
      'gov.uk': { A: ['192.0.2.3'] },
      'council.gov.uk': { ...MX },
      ...HOST,
      ...dmarc('v=DMARC1; p=none; np=reject; psd=y', 'gov.uk'),
    },
    scores: [5, 70],
  },
  {
    behaviour: 'below a suffix with sp=none',
    domain: 'council.gov.uk',
    records: {
      ...HOST,
      ...dmarc('v=DMARC1; p=reject; sp=none; psd=y; rua=mailto:x@gov.uk', 'gov.uk'),
      'council.gov.uk': { ...MX, TXT: ['v=spf1 mx -all'] },
      ...key('s1', KEYS.strong, 'council.gov.uk'),
    },
    scores: [75, 100],
  },
  {
    behaviour: 'below a suffix with sp=quarantine',
    domain: 'council.gov.uk',
    records: {
      ...HOST,
      ...dmarc('v=DMARC1; p=reject; sp=quarantine; psd=y; rua=mailto:x@gov.uk', 'gov.uk'),
      'council.gov.uk': { ...MX, TXT: ['v=spf1 mx -all'] },
      ...key('s1', KEYS.strong, 'council.gov.uk'),
    },
    scores: [90, 100],
  },
  {
    behaviour: 'below a suffix with reject',
    domain: 'branch.bank',
    records: {
      ...HOST,
      ...dmarc('v=DMARC1; p=reject; psd=y', 'bank'),
      'branch.bank': { ...MX, TXT: ['v=spf1 mx -all'] },
      ...key('s1', KEYS.strong, 'branch.bank'),
    },
    scores: [100, 100],
  },
  // Trees.
  {
    behaviour: 'inherits none, with reports',
    domain: SUB,
    records: sub(`v=DMARC1; p=none; ${RUA}`),
    scores: [75, 100],
  },
  {
    behaviour: 'inherits none, without reports',
    domain: SUB,
    records: sub('v=DMARC1; p=none'),
    scores: [70, 100],
  },
  {
    behaviour: 'inherits quarantine, without reports',
    domain: SUB,
    records: sub('v=DMARC1; p=quarantine'),
    scores: [90, 100],
  },
  {
    behaviour: 'inherits quarantine for a half, without reports',
    domain: SUB,
    records: sub('v=DMARC1; p=quarantine; pct=50'),
    scores: [82, 100],
  },
  {
    behaviour: 'inherits reject in test mode',
    domain: SUB,
    records: sub(`v=DMARC1; p=reject; t=y; ${RUA}`),
    scores: [90, 100],
  },
  {
    behaviour: 'inherits sp=none from reject',
    domain: SUB,
    records: sub(`v=DMARC1; p=reject; sp=none; ${RUA}`),
    scores: [75, 100],
  },
  {
    behaviour: 'inherits a record that no receiver uses',
    domain: SUB,
    records: sub('v=DMARC1; p=rejct'),
    scores: [65, 100],
  },
  {
    behaviour: 'a name below the domain has a record of its own',
    records: {
      ...mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=none; ${RUA}`)),
      ...dmarc('v=DMARC1; p=reject', 'a.example.com'),
      'a.example.com': { A: ['192.0.2.1'] },
    },
    scores: [75, 100],
  },
  {
    behaviour: 'a subdomain with psd=n',
    domain: SUB,
    records: {
      ...sub(`v=DMARC1; p=reject; ${RUA}`),
      ...dmarc(`v=DMARC1; p=none; psd=n; ${RUA}`, 'a.example.com'),
    },
    scores: [75, 100],
  },
  {
    behaviour: 'four labels, a record in the middle',
    domain: 'x.a.example.com',
    records: {
      ...sub(`v=DMARC1; p=reject; ${RUA}`),
      ...dmarc(`v=DMARC1; p=none; ${RUA}`, 'a.example.com'),
      'x.a.example.com': { ...MX, TXT: ['v=spf1 mx -all'] },
      ...key('s1', KEYS.strong, 'x.a.example.com'),
    },
    scores: [100, 100],
  },
  {
    behaviour: 'a domain that does not exist, below a policy',
    domain: 'gone.example.com',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=none; np=reject; ${RUA}`)),
    scores: [35, 35],
  },
  {
    behaviour: 'sp weaker than p',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=reject; sp=none; ${RUA}`)),
    scores: [100, 100],
  },
  // MX.
  {
    behaviour: 'an MX host whose domain is free',
    records: {
      ...mail('v=spf1 mx -all', REJECT),
      'example.com': {
        MX: [
          [10, 'mx.example.com'],
          [20, 'mx.gone-example.org'],
        ],
        TXT: ['v=spf1 mx -all'],
      },
    },
    scores: [95, 95],
  },
  {
    behaviour: 'an address for an MX host',
    records: {
      ...mail('v=spf1 mx -all', REJECT),
      'example.com': { MX: [[10, '192.0.2.25']], TXT: ['v=spf1 a:mx.example.com -all'] },
    },
    scores: [90, 90],
  },
];
