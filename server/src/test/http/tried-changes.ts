/**
 * Changes of mail records: good, harmful, mixed and malformed, with what the trial has to say about
 * each.
 */
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';

const KEY = 'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const OTHER_KEY = 'v=DKIM1; k=ed25519; p=GRUqFnfJ5DPZ7YZ0Wy6rZ1mQyR3Xo4mXPaZ6G1fK0bI=';

/**
 * `ready` can take the next step, `strict` has taken all, `testing` and `unsigned` are in test
 * mode.
 */
export const TRIED_ZONES: ZoneRecords = {
  'ready.example': {
    MX: [[10, 'mx.ready.example']],
    TXT: ['v=spf1 mx include:spf.host.example ~all'],
  },
  'mx.ready.example': { A: ['192.0.2.25'] },
  'default._domainkey.ready.example': { TXT: [KEY] },
  '_dmarc.ready.example': { TXT: ['v=DMARC1; p=none; rua=mailto:d@ready.example'] },
  'strict.example': {
    MX: [[10, 'aspmx.l.google.com']],
    TXT: ['v=spf1 include:_spf.google.com -all'],
  },
  'google._domainkey.strict.example': { TXT: [KEY] },
  '_dmarc.strict.example': { TXT: ['v=DMARC1; p=reject; adkim=s; rua=mailto:d@strict.example'] },
  'testing.example': { MX: [[10, 'mx.ready.example']], TXT: ['v=spf1 mx -all'] },
  'default._domainkey.testing.example': { TXT: [KEY] },
  '_dmarc.testing.example': { TXT: ['v=DMARC1; p=quarantine; t=y; rua=mailto:d@testing.example'] },
  'unsigned.example': {
    MX: [[10, 'mx.ready.example']],
    TXT: ['v=spf1 mx include:servers.mcsv.net ~all'],
  },
  'default._domainkey.unsigned.example': { TXT: [KEY] },
  '_dmarc.unsigned.example': {
    TXT: ['v=DMARC1; p=quarantine; pct=0; rua=mailto:d@unsigned.example'],
  },
  'bare.example': { A: ['192.0.2.80'] },
  'aspmx.l.google.com': { A: ['192.0.2.30'] },
  'mx.zoho.eu': { A: ['192.0.2.31'] },
  '_spf.google.com': { TXT: ['v=spf1 ip4:198.51.100.0/24 ip6:2001:db8:1::/48 -all'] },
  'zohomail.eu': { TXT: ['v=spf1 ip4:203.0.113.0/24 -all'] },
  'spf.host.example': { TXT: ['v=spf1 ip4:198.18.0.0/24 -all'] },
  'servers.mcsv.net': { TXT: ['v=spf1 ip4:205.201.128.0/20 -all'] },
};

/** Codes of the risks, each once, in their order. `note` has to be among the notes. */
type TriedChange = readonly [
  behaviour: string,
  domain: string,
  zone: string,
  risks: readonly string[],
  note?: RegExp,
];

const policy = (tags: string) => `_dmarc TXT "v=DMARC1; ${tags}"`;
const spf = (terms: string) => `@ TXT "v=spf1 ${terms}"`;
const READY = 'ready.example';
const STRICT = 'strict.example';
const TESTING = 'testing.example';
const UNSIGNED = 'unsigned.example';
const RUA = `rua=mailto:d@${STRICT}`;

export const TRIED_CHANGES: readonly TriedChange[] = [
  // Good.
  ['the next step', READY, policy(`p=quarantine; rua=mailto:d@${READY}`), []],
  ['-all', READY, spf('mx include:spf.host.example -all'), []],
  [
    'reject in test mode is no more than quarantine',
    READY,
    policy(`p=reject; t=y; rua=mailto:d@${READY}`),
    [],
  ],
  ['the end of a test', TESTING, policy(`p=quarantine; rua=mailto:d@${TESTING}`), []],
  ['a first policy of none', 'bare.example', policy('p=none; rua=mailto:d@bare.example'), []],
  ['no mail', 'bare.example', `@ MX 0 .\n${spf('-all')}\n${policy('p=reject')}`, []],
  ['tags in another order', STRICT, policy(`adkim=s; p=reject; ${RUA}`), []],
  [
    'one more address for reports',
    STRICT,
    policy(`p=reject; adkim=s; ${RUA},mailto:e@${STRICT}`),
    [],
  ],
  [
    'a stricter policy of names that do not exist',
    READY,
    policy(`p=none; np=reject; rua=mailto:d@${READY}`),
    [],
  ],
  ['a flattened record', STRICT, spf('ip4:198.51.100.0/24 ip6:2001:db8:1::/48 -all'), []],
  [
    'a flattened record that allows more',
    STRICT,
    spf('ip4:198.51.0.0/16 ip6:2001:db8::/32 -all'),
    [],
  ],
  ['a flattened mx', READY, spf('ip4:192.0.2.25 ip4:198.18.0.0/24 ~all'), []],
  ['one more sender', STRICT, spf('include:_spf.google.com ip4:192.0.2.1 -all'), []],
  ['a new key beside the other', STRICT, `s2._domainkey TXT "${OTHER_KEY}"`, []],
  ['another preference', STRICT, '@ MX 5 aspmx.l.google.com.', []],
  [
    'another provider that SPF names',
    STRICT,
    `@ MX 5 mx.zoho.eu.\n${spf('include:_spf.google.com include:zohomail.eu -all')}`,
    [],
  ],
  // Harmful: policies.
  ['test mode', STRICT, policy(`p=reject; adkim=s; t=y; ${RUA}`), ['policy_weaker']],
  [
    'a policy for half of the mail',
    STRICT,
    policy(`p=reject; adkim=s; pct=50; ${RUA}`),
    ['policy_weaker'],
  ],
  ['quarantine after reject', STRICT, policy(`p=quarantine; adkim=s; ${RUA}`), ['policy_weaker']],
  ['none after reject', STRICT, policy(`p=none; adkim=s; ${RUA}`), ['policy_weaker']],
  [
    'a weaker policy of subdomains',
    STRICT,
    policy(`p=reject; adkim=s; sp=quarantine; ${RUA}`),
    ['policy_weaker'],
  ],
  [
    'a weaker policy of names that do not exist',
    STRICT,
    policy(`p=reject; adkim=s; np=none; ${RUA}`),
    ['policy_weaker'],
  ],
  ['relaxed alignment', STRICT, policy(`p=reject; ${RUA}`), ['policy_weaker']],
  ['no policy', STRICT, '_dmarc TXT ""', ['reports_lost', 'policy_weaker']],
  ['no reports', STRICT, policy('p=reject; adkim=s'), ['reports_lost']],
  [
    'reports to a host that has not agreed',
    STRICT,
    policy('p=reject; adkim=s; rua=mailto:d@host.example'),
    ['reports_lost'],
  ],
  ['a skipped step', READY, policy(`p=reject; rua=mailto:d@${READY}`), ['step_skipped']],
  ['a step without reports', READY, policy('p=quarantine'), ['step_skipped', 'reports_lost']],
  [
    'the end of pct although a service does not sign',
    UNSIGNED,
    policy(`p=quarantine; rua=mailto:d@${UNSIGNED}`),
    ['step_skipped'],
  ],
  // Harmful: senders.
  ['~all after -all', STRICT, spf('include:_spf.google.com ~all'), ['policy_weaker']],
  ['?all after -all', STRICT, spf('include:_spf.google.com ?all'), ['policy_weaker']],
  ['everyone may send', STRICT, spf('+all'), ['anyone_can_send']],
  ['no server may send', READY, spf('~all'), ['senders_lost']],
  ['-all before the senders', STRICT, spf('-all include:_spf.google.com'), ['senders_lost']],
  ['a flattened record without IPv6', STRICT, spf('ip4:198.51.100.0/24 -all'), ['senders_lost']],
  [
    'a flattened record with half of the addresses',
    STRICT,
    spf('ip4:198.51.100.0/25 ip6:2001:db8:1::/48 -all'),
    ['senders_lost'],
  ],
  [
    'an include that anyone can register',
    READY,
    spf('mx include:spf.host.example include:spf.free.org ~all'),
    ['takeover', 'spf_invalid'],
  ],
  // Harmful: keys and hosts.
  ['a key that is revoked', STRICT, 'google._domainkey TXT "v=DKIM1; p="', ['keys_lost']],
  [
    'another key under the same selector',
    STRICT,
    `google._domainkey TXT "${OTHER_KEY}"`,
    ['keys_lost'],
  ],
  ['a key in test mode', STRICT, `google._domainkey TXT "${KEY}; t=y"`, ['keys_lost']],
  ['a provider that SPF does not name', STRICT, '@ MX 10 mx.zoho.eu.', ['senders_lost']],
  ['no mail host', STRICT, '@ MX 0 .', ['reports_lost', 'mail_lost']],
  [
    'a mail host that anyone can register',
    READY,
    '@ MX 10 mx.free.org.',
    ['reports_lost', 'senders_lost', 'takeover', 'mail_lost'],
  ],
  // Mixed.
  [
    'a sender more, and test mode',
    STRICT,
    `${spf('include:_spf.google.com ip4:192.0.2.1 -all')}\n${policy(`p=reject; adkim=s; t=y; ${RUA}`)}`,
    ['policy_weaker'],
  ],
  [
    'a better policy, and everyone may send',
    READY,
    `${spf('+all')}\n${policy(`p=quarantine; rua=mailto:d@${READY}`)}`,
    ['step_skipped', 'anyone_can_send'],
  ],
  [
    'a record of another name',
    READY,
    'news TXT "v=spf1 +all"',
    [],
    /^not judged: news\.ready\.example TXT\./,
  ],
  // Malformed.
  ['a mistyped policy', STRICT, policy(`p=rejct; adkim=s; ${RUA}`), ['policy_weaker']],
  [
    'no semicolon',
    STRICT,
    `_dmarc TXT "v=DMARC1 p=reject; ${RUA}"`,
    ['reports_lost', 'policy_weaker'],
  ],
  [
    'two policies',
    STRICT,
    `${policy(`p=reject; ${RUA}`)}\n${policy('p=none')}`,
    ['reports_lost', 'policy_weaker'],
  ],
  [
    'a mistyped address',
    STRICT,
    spf('include:_spf.google.com ip4:300.0.0.1 -all'),
    ['spf_invalid'],
  ],
  [
    'a mistyped version',
    STRICT,
    '@ TXT "v=spf1include:_spf.google.com -all"',
    ['senders_lost', 'spf_invalid'],
  ],
  [
    'a key that is cut',
    STRICT,
    'google._domainkey TXT "v=DKIM1; k=ed25519; p=11qYAYKx"',
    ['keys_lost'],
  ],
];
