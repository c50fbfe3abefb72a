/**
 * Steps of a policy and common mistakes, one domain each: what is right and wrong about domains as
 * they are found.
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

export const STEPS: readonly CorpusCase[] = [
  // Suites of providers.
  {
    behaviour: 'a workspace without SPF and DMARC',
    records: {
      ...WORLD,
      'example.com': { MX: [[1, 'aspmx.l.google.com']], A: ['192.0.2.1'] },
      'google._domainkey.example.com': { TXT: [KEYS.strong] },
    },
  },
  {
    behaviour: 'a workspace that only monitors',
    records: {
      ...WORLD,
      'example.com': {
        MX: [[1, 'aspmx.l.google.com']],
        TXT: ['v=spf1 include:_spf.google.com ~all'],
      },
      'google._domainkey.example.com': { TXT: [KEYS.strong] },
      ...dmarc(`v=DMARC1; p=none; ${RUA}; fo=1`),
    },
  },
  {
    behaviour: 'a tenant with keys behind aliases and no SPF',
    records: {
      ...WORLD,
      'example.com': {
        MX: [[0, 'example-com.mail.protection.outlook.com']],
        TXT: ['MS=ms12345678'],
      },
      'selector1._domainkey.example.com': {
        CNAME: 'selector1-example-com._domainkey.example.onmicrosoft.com',
      },
      ...dmarc(`v=DMARC1; p=quarantine; ${RUA}`),
    },
  },
  {
    behaviour: 'a hosted mailbox with nothing but MX',
    records: { ...WORLD, 'example.com': { MX: [[10, 'in1-smtp.messagingengine.com']] } },
  },
  // Steps of a policy.
  { behaviour: 'no DMARC, SPF and DKIM in place', records: mail('v=spf1 mx -all') },
  { behaviour: 'everything at its best', records: mail('v=spf1 mx -all', REJECT) },
  {
    behaviour: 'none with reports',
    records: mail('v=spf1 mx ~all', dmarc(`v=DMARC1; p=none; ${RUA}`)),
  },
  { behaviour: 'none without reports', records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=none')) },
  {
    behaviour: 'none, and neither SPF nor DKIM',
    records: { 'example.com': MX, ...HOST, ...dmarc(`v=DMARC1; p=none; ${RUA}`) },
  },
  {
    behaviour: 'quarantine with every tag there is',
    records: mail(
      'v=spf1 mx -all',
      dmarc(
        `v=DMARC1; p=quarantine; sp=reject; np=reject; adkim=s; aspf=s; fo=1:d:s; ${RUA}; ruf=mailto:f@example.com; psd=n`,
      ),
    ),
  },
  {
    behaviour: 'reject for a fifth of the mail',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=reject; pct=20; ${RUA}; ri=3600; rf=afrf`)),
  },
  {
    behaviour: 'quarantine at zero percent',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=quarantine; pct=0; ${RUA}`)),
  },
  {
    behaviour: 'reject in test mode',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=reject; t=y; ${RUA}`)),
  },
  {
    behaviour: 'a fifth of the mail, and no key',
    records: {
      'example.com': { ...MX, TXT: ['v=spf1 mx -all'] },
      ...HOST,
      ...dmarc(`v=DMARC1; p=reject; pct=20; ${RUA}`),
    },
  },
  {
    behaviour: 'subdomains less protected',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=reject; sp=none; ${RUA}`)),
  },
  {
    behaviour: 'quarantine with sp=none and np=reject',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=quarantine; sp=none; np=reject; ${RUA}`)),
  },
  // Mistakes in DMARC.
  {
    behaviour: 'an address without mailto',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=reject; rua=d@example.com')),
  },
  {
    behaviour: 'addresses separated by blanks and semicolons',
    records: mail(
      'v=spf1 mx -all',
      dmarc(
        'v=DMARC1; p=reject; rua=mailto:a@example.com mailto:b@example.com; mailto:c@example.com',
      ),
    ),
  },
  {
    behaviour: 'an address with slashes, another that is none',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=none; rua=mailto://a@example.com,nonsense')),
  },
  {
    behaviour: 'no semicolon after the version',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1 p=reject ${RUA}`)),
  },
  {
    behaviour: 'the version in lower case',
    records: mail('v=spf1 mx -all', dmarc(`v=dmarc1; p=quarantine; ${RUA}`)),
  },
  {
    behaviour: 'a record in quotation marks',
    records: mail('v=spf1 mx -all', dmarc(`"v=DMARC1; p=reject; ${RUA}"`)),
  },
  { behaviour: 'a misspelled policy', records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=rejct')) },
  {
    behaviour: 'a misspelled policy with reports',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=rejct; ${RUA}`)),
  },
  { behaviour: 'no policy at all', records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; ${RUA}`)) },
  {
    behaviour: 'a policy given twice',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=none; p=reject; ${RUA}`)),
  },
  {
    behaviour: 'bad values in other tags',
    records: mail(
      'v=spf1 mx -all',
      dmarc(`v=DMARC1; p=quarantine; adkim=x; aspf=s; fo=9; pct=abc; ${RUA}`),
    ),
  },
  {
    behaviour: 'a bad sp',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=reject; sp=all; ${RUA}`)),
  },
  {
    behaviour: 'two DMARC records',
    records: mail('v=spf1 mx -all', {
      '_dmarc.example.com': { TXT: [`v=DMARC1; p=none; ${RUA}`, `v=DMARC1; p=reject; ${RUA}`] },
    }),
  },
  {
    behaviour: 'the DMARC record at the apex',
    records: mail(['v=spf1 mx -all', `v=DMARC1; p=reject; sp=quarantine; ${RUA}`]),
  },
  {
    behaviour: 'the DMARC record under the doubled name',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=reject; ${RUA}`, 'example.com.example.com')),
  },
  {
    behaviour: 'one at the apex beside the right one',
    records: mail(['v=spf1 mx -all', 'v=DMARC1; p=none'], REJECT),
  },
  {
    behaviour: 'an aliased _dmarc',
    records: mail('v=spf1 mx -all', {
      '_dmarc.example.com': { CNAME: 'example.com.hosted.example.net' },
      'example.com.hosted.example.net': {
        TXT: ['v=DMARC1; p=none; rua=mailto:x@reports.example.net'],
      },
    }),
  },
  {
    behaviour: 'an aliased _dmarc that leads nowhere',
    records: mail('v=spf1 mx -all', { '_dmarc.example.com': { CNAME: 'gone.example.net' } }),
  },
  {
    behaviour: 'an aliased _dmarc to a name without TXT',
    records: mail('v=spf1 mx -all', {
      '_dmarc.example.com': { CNAME: 'empty.example.net' },
      'empty.example.net': { A: ['192.0.2.1'] },
    }),
  },
  {
    behaviour: 'very many report addresses',
    records: mail(
      'v=spf1 mx -all',
      dmarc(
        `v=DMARC1; p=none; rua=${Array.from({ length: 20 }, (_, i) => `mailto:reports-${i}@example.com`).join(',')}`,
      ),
    ),
  },
  {
    behaviour: 'reports to a host that has not agreed',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=none; rua=mailto:x@elsewhere.example.org')),
  },
  // Subdomains and public suffixes.
  {
    behaviour: 'a subdomain of reject with sp=none',
    domain: 'news.example.com',
    records: {
      ...mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=reject; sp=none; ${RUA}; adkim=s`)),
      'news.example.com': { ...MX, TXT: ['v=spf1 mx -all'] },
      's1._domainkey.news.example.com': { TXT: [KEYS.strong] },
    },
  },
  {
    behaviour: 'a subdomain of reject with sp=none, not ready',
    domain: 'news.example.com',
    records: {
      ...mail('v=spf1 mx -all', dmarc('v=DMARC1; p=reject; sp=none')),
      'news.example.com': { ...MX, TXT: ['v=spf1 mx -all'] },
    },
  },
  {
    behaviour: 'a subdomain of quarantine with np=reject',
    domain: 'a.example.com',
    records: {
      ...mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=reject; sp=quarantine; np=reject; ${RUA}`)),
      'a.example.com': { ...MX, TXT: ['v=spf1 mx -all'] },
      's1._domainkey.a.example.com': { TXT: [KEYS.strong] },
    },
  },
  {
    behaviour: 'a subdomain that inherits reject',
    domain: 'a.example.com',
    records: { ...mail('v=spf1 mx -all', REJECT), 'a.example.com': { A: ['192.0.2.1'] } },
  },
  {
    behaviour: 'a subdomain below a broken record',
    domain: 'a.example.com',
    records: {
      ...mail('v=spf1 mx -all', {
        '_dmarc.example.com': { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=none'] },
      }),
      'a.example.com': MX,
    },
  },
  {
    behaviour: 'a subdomain of pct=10',
    domain: 'a.example.com',
    records: {
      ...mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=quarantine; pct=10; ${RUA}`)),
      'a.example.com': { ...MX, TXT: ['v=spf1 mx -all'] },
      's1._domainkey.a.example.com': { TXT: [KEYS.strong] },
    },
  },
  {
    behaviour: 'a subdomain that is an alias',
    domain: 'www.example.com',
    records: {
      ...mail('v=spf1 mx -all'),
      'www.example.com': { CNAME: 'host.example.net' },
      'host.example.net': { A: ['192.0.2.9'] },
    },
  },
  {
    behaviour: 'a council below gov.uk',
    domain: 'council.gov.uk',
    records: {
      ...HOST,
      '_dmarc.gov.uk': {
        TXT: ['v=DMARC1; p=reject; sp=none; np=reject; psd=y; rua=mailto:x@gov.uk'],
      },
      'council.gov.uk': { ...MX, TXT: ['v=spf1 mx -all'] },
      's1._domainkey.council.gov.uk': { TXT: [KEYS.strong] },
    },
  },
  {
    behaviour: 'a council below gov.uk that is not ready',
    domain: 'council.gov.uk',
    records: {
      ...HOST,
      '_dmarc.gov.uk': {
        TXT: ['v=DMARC1; p=reject; sp=none; np=reject; psd=y; rua=mailto:x@gov.uk'],
      },
      'council.gov.uk': MX,
    },
  },
  {
    behaviour: 'a public suffix with a record of its own',
    domain: 'gov.uk',
    records: {
      ...HOST,
      'gov.uk': { ...MX, TXT: ['v=spf1 -all'] },
      '_dmarc.gov.uk': { TXT: ['v=DMARC1; p=none; np=reject; psd=y; rua=mailto:x@gov.uk'] },
    },
  },
  {
    behaviour: 'a public suffix without one',
    domain: 'co.uk',
    records: { 'co.uk': { A: ['192.0.2.1'] }, 'shop.co.uk': { A: ['192.0.2.2'] } },
  },
  {
    behaviour: 'a bank below a suffix with reject',
    domain: 'branch.bank',
    records: { ...HOST, '_dmarc.bank': { TXT: ['v=DMARC1; p=reject; psd=y'] }, 'branch.bank': MX },
  },
  // Domains without mail.
  {
    behaviour: 'parked, and well configured',
    records: { 'example.com': PARKED, ...dmarc('v=DMARC1; p=reject') },
  },
  {
    behaviour: 'parked, with every key revoked',
    records: {
      'example.com': PARKED,
      ...REJECT,
      '*._domainkey.example.com': { TXT: ['v=DKIM1; p='] },
    },
  },
  { behaviour: 'parked without DMARC', records: { 'example.com': PARKED } },
  {
    behaviour: 'parked with none',
    records: { 'example.com': PARKED, ...dmarc('v=DMARC1; p=none; sp=quarantine') },
  },
  { behaviour: 'a null MX alone', records: { 'example.com': { MX: [[0, '.']] } } },
  {
    behaviour: 'a null MX, and SPF that lets servers send',
    records: { ...HOST, 'example.com': { MX: [[0, '.']], TXT: ['v=spf1 ip4:192.0.2.1 ~all'] } },
  },
  { behaviour: 'no MX, an address', records: { 'example.com': { A: ['192.0.2.1'] } } },
  { behaviour: 'no MX, a private address', records: { 'example.com': { A: ['10.0.0.1'] } } },
  { behaviour: 'no MX, no address', records: { 'example.com': { TXT: ['site-verification=1'] } } },
  {
    behaviour: 'no MX, an address, reports',
    records: {
      'example.com': { A: ['192.0.2.1'], TXT: ['v=spf1 a -all'] },
      ...dmarc('v=DMARC1; p=none'),
    },
  },
  {
    behaviour: '-all alone, with MX',
    records: { ...HOST, 'example.com': { ...MX, TXT: ['v=spf1 -all'] } },
  },
  {
    behaviour: 'a wildcard for every name',
    records: {
      ...HOST,
      '*.example.com': { A: ['192.0.2.1'], TXT: ['v=spf1 -all'] },
      'example.com': MX,
    },
  },
  // MX.
  {
    behaviour: 'an MX host that does not exist',
    records: mail('v=spf1 mx -all', {
      ...REJECT,
      'example.com': {
        MX: [
          [10, 'mx.example.com'],
          [20, 'gone.example.com'],
        ],
        TXT: ['v=spf1 mx -all'],
      },
    }),
  },
  {
    behaviour: 'an MX host with private addresses',
    records: { 'example.com': MX, 'mx.example.com': { A: ['10.0.0.25'] } },
  },
  {
    behaviour: 'an MX host that is an alias',
    records: {
      'example.com': MX,
      'mx.example.com': { CNAME: 'host.example.net' },
      'host.example.net': { A: ['192.0.2.9'] },
    },
  },
  {
    behaviour: 'an MX host listed twice',
    records: mail('v=spf1 mx -all', {
      'example.com': {
        MX: [
          [10, 'mx.example.com'],
          [20, 'mx.example.com'],
        ],
        TXT: ['v=spf1 mx -all'],
      },
    }),
  },
  // SPF.
  { behaviour: '+all', records: mail('v=spf1 mx +all', REJECT) },
  { behaviour: '+all and nothing else', records: mail('v=spf1 +all', REJECT) },
  {
    behaviour: 'an include of +all',
    records: mail('v=spf1 mx include:open.example.net -all', REJECT),
  },
  { behaviour: 'all addresses', records: mail('v=spf1 ip4:0.0.0.0/0 -all', REJECT) },
  {
    behaviour: 'half of all addresses',
    records: mail('v=spf1 ip4:0.0.0.0/2 ip4:64.0.0.0/2 -all', REJECT),
  },
  { behaviour: 'a redirect to +all', records: mail('v=spf1 redirect=open.example.net', REJECT) },
  { behaviour: '?all', records: mail('v=spf1 mx ?all', REJECT) },
  { behaviour: 'no all', records: mail('v=spf1 mx include:sender.example.net', REJECT) },
  { behaviour: 'a redirect to ~all', records: mail('v=spf1 redirect=_spf.google.com', REJECT) },
  {
    behaviour: 'terms after all',
    records: mail('v=spf1 mx ~all include:sender.example.net', REJECT),
  },
  {
    behaviour: 'include with an equals sign',
    records: mail('v=spf1 mx include=sender.example.net ~all', REJECT),
  },
  { behaviour: 'in quotation marks', records: mail('"v=spf1 mx -all"', REJECT) },
  { behaviour: 'indented', records: mail('  v=spf1 mx -all', REJECT) },
  {
    behaviour: 'with a semicolon',
    records: mail('v=spf1; mx; include:sender.example.net; -all', REJECT),
  },
  {
    behaviour: 'two SPF records',
    records: mail(['v=spf1 mx -all', 'v=spf1 include:sender.example.net ~all'], REJECT),
  },
  {
    behaviour: 'two SPF records, one with a redirect',
    records: mail(['v=spf1 mx -all', 'v=spf1 redirect=_spf.google.com'], REJECT),
  },
  { behaviour: 'ipv4 for ip4', records: mail('v=spf1 ipv4:192.0.2.1 a:192.0.2.2 -all', REJECT) },
  {
    behaviour: 'a blank after the colon',
    records: mail('v=spf1 include: sender.example.net ~all', REJECT),
  },
  {
    behaviour: 'an include that does not exist',
    records: mail('v=spf1 mx include:gone.example.net -all', REJECT),
  },
  { behaviour: 'an unknown mechanism', records: mail('v=spf1 mx moo -all', REJECT) },
  {
    behaviour: 'more than ten lookups',
    records: mail(
      `v=spf1 ${Array.from({ length: 11 }, (_, i) => `a:h${i}.example.com`).join(' ')} -all`,
      {
        ...REJECT,
        '*.example.com': { A: ['192.0.2.1'] },
      },
    ),
  },
  {
    behaviour: 'a record of 541 bytes',
    records: mail(
      `v=spf1 ${Array.from({ length: 31 }, (_, i) => `ip4:192.0.2.${100 + i}`).join(' ')} ~all`,
      REJECT,
    ),
  },
  { behaviour: 'ptr', records: mail('v=spf1 ptr mx -all', REJECT) },
  // DKIM.
  {
    behaviour: 'a short key',
    records: mail('v=spf1 mx -all', { ...REJECT, ...key('s1', KEYS.weak) }),
  },
  {
    behaviour: 'a short key beside a strong one',
    records: mail('v=spf1 mx -all', { ...REJECT, ...key('s2', KEYS.weak) }),
  },
  {
    behaviour: 'a key that is being tested',
    records: mail('v=spf1 mx -all', {
      ...REJECT,
      ...key('s1', KEYS.strong.replace('k=rsa', 'k=rsa; t=y')),
    }),
  },
  {
    behaviour: 'a key with the version in lower case',
    records: mail('v=spf1 mx -all', {
      ...REJECT,
      ...key('s1', KEYS.strong.replace('DKIM1', 'dkim1')),
    }),
  },
  {
    behaviour: 'a key for sha1',
    records: mail('v=spf1 mx -all', {
      ...REJECT,
      ...key('s1', KEYS.strong.replace('k=rsa', 'h=sha1; k=rsa')),
    }),
  },
  {
    behaviour: 'a revoked key',
    records: mail('v=spf1 mx -all', { ...REJECT, ...key('s1', 'v=DKIM1; p=') }),
  },
  {
    behaviour: 'a key under the doubled name',
    records: {
      ...HOST,
      ...REJECT,
      'example.com': { ...MX, TXT: ['v=spf1 mx -all'] },
      's1._domainkey.example.com.example.com': { TXT: [KEYS.strong] },
    },
  },
  // Failures and absence.
  {
    behaviour: 'SPF cannot be read',
    records: { ...HOST, 'example.com': { ...MX, fail: { TXT: 'SERVFAIL' } } },
  },
  {
    behaviour: 'DMARC cannot be read',
    records: mail('v=spf1 mx -all', { '_dmarc.example.com': { fail: 'SERVFAIL' } }),
  },
  {
    behaviour: 'an include cannot be read',
    records: mail('v=spf1 include:down.example.net ~all', {
      ...REJECT,
      'down.example.net': { fail: 'timeout' },
    }),
  },
  { behaviour: 'no such domain', records: {} },
];
