/**
 * Records as they are after pasting: from a document, a mail, a web form, a zone file. `want` is
 * the record that is proposed; `''` where only a sentence can be given; `sentence` names the
 * mistake.
 */
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { KEYS } from '../dkim-keys.ts';
import { type CorpusCase, dmarc, HOST, key, MX, mail, REJECT } from './world.ts';

/** As DNS has it: every byte of UTF-8 is a character. */
const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const { strong } = KEYS;
const data = strong.slice(strong.indexOf('p=') + 2);
const NEEDED: ZoneRecords = {
  'out.example.com': { A: ['192.0.2.26'] },
  'xn--mller-kva.example': { TXT: ['v=spf1 ip4:192.0.2.64/26 -all'] },
};
const POLICY = 'v=DMARC1; p=none; rua=mailto:d@example.com';
const WHOLE = `v=DKIM1; k=rsa; p=${data}`;

export type PastedCase = CorpusCase & { readonly want: string; readonly sentence: RegExp };

function spf(
  behaviour: string,
  texts: string | readonly string[],
  want: string,
  sentence: RegExp,
): PastedCase {
  return {
    behaviour: `pasted SPF: ${behaviour}`,
    records: mail([texts].flat().map(bytes), REJECT, NEEDED),
    want,
    sentence,
  };
}

function dkim(
  behaviour: string,
  texts: string | readonly string[],
  sentence: RegExp,
  want = WHOLE,
): PastedCase {
  const records = { 'example.com': { ...MX, TXT: ['v=spf1 mx -all'] }, ...HOST, ...REJECT };
  const published = { 's1._domainkey.example.com': { TXT: [texts].flat().map(bytes) } };
  return {
    behaviour: `pasted DKIM: ${behaviour}`,
    records: { ...records, ...published },
    want,
    sentence,
  };
}

function policy(behaviour: string, text: string, sentence: RegExp, want = POLICY): PastedCase {
  return {
    behaviour: `pasted DMARC: ${behaviour}`,
    records: mail('v=spf1 mx -all', dmarc(bytes(text))),
    want,
    sentence,
  };
}

export const PASTED_ZONES: readonly PastedCase[] = [
  spf('no-break spaces', 'v=spf1 mx\u00a0-all', 'v=spf1 mx ~all', /no-break spaces/),
  spf('thin spaces', 'v=spf1\u2009mx\u202f-all', 'v=spf1 mx ~all', /no-break spaces/),
  spf('zero-width characters', 'v=spf1 mx\u200b -all', 'v=spf1 mx ~all', /invisible characters/),
  spf('an en dash', 'v=spf1 mx –all', 'v=spf1 mx ~all', /typographic dashes/),
  spf('a minus sign', 'v=spf1 mx −all', 'v=spf1 mx ~all', /typographic dashes/),
  spf('typographic quotation marks', '“v=spf1 mx -all”', 'v=spf1 mx ~all', /quotation mark/),
  spf('escaped quotation marks', '\\"v=spf1 mx -all\\"', 'v=spf1 mx ~all', /has no effect/),
  spf('HTML entities', '&quot;v=spf1 mx -all&quot;', 'v=spf1 mx ~all', /HTML entities/),
  spf(
    'the line of a zone file',
    'example.com. 3600 IN TXT "v=spf1 mx -all"',
    'v=spf1 mx ~all',
    /line of a zone file/,
  ),
  spf(
    'a U-label',
    'v=spf1 mx include:müller.example -all',
    'v=spf1 mx include:xn--mller-kva.example ~all',
    /0xc3/,
  ),
  spf(
    'a host name for an address',
    'v=spf1 ip4:out.example.com -all',
    'v=spf1 a:out.example.com ~all',
    /not an IPv4 address/,
  ),
  spf(
    'a link',
    'v=spf1 mx include:https://xn--mller-kva.example/ -all',
    'v=spf1 mx include:xn--mller-kva.example ~all',
    /Fix the SPF record/,
  ),
  spf(
    'a mistyped mechanism',
    'v=spf1 mx inlcude:xn--mller-kva.example -all',
    'v=spf1 mx include:xn--mller-kva.example ~all',
    /inlcude/,
  ),
  spf(
    'a lost blank',
    'v=spf1 mx ip4:192.0.2.1-all',
    'v=spf1 mx ip4:192.0.2.1 ~all',
    /is two terms/,
  ),
  spf(
    'two records that are one',
    ['v=spf1 mx', 'ip4:192.0.2.7 -all'],
    'v=spf1 mx ip4:192.0.2.7 ~all',
    /in two TXT records/,
  ),
  spf(
    'a record and a verification text',
    ['v=spf1 mx', 'site-verification=abc'],
    'v=spf1 mx ~all',
    /says nothing about servers/,
  ),

  dkim(
    'two records that are one',
    [strong.slice(0, 200), strong.slice(200)],
    /second part in a TXT record of its own/,
  ),
  dkim(
    'two records in the other order',
    [strong.slice(200), strong.slice(0, 200)],
    /second part in a TXT record/,
  ),
  dkim('backslashes before semicolons', strong.replaceAll(';', '\\;'), /backslashes/),
  dkim('quotation marks around it', `"${strong}"`, /quotation marks/),
  dkim(
    'quotation marks between its strings',
    `"${strong.slice(0, 200)}" "${strong.slice(200)}"`,
    /quotation marks/,
  ),
  dkim(
    'plus signs that became blanks',
    `v=DKIM1; k=rsa; p=${data.replaceAll('+', ' ')}`,
    /plus signs were/,
  ),
  dkim('tags in upper case', `V=DKIM1; K=RSA; P=${data}`, /upper case/),
  dkim('no-break spaces', `v=DKIM1;\u00a0k=rsa;\u00a0p=${data}`, /no-break spaces/),
  dkim(
    'plus signs that are gone',
    `v=DKIM1; k=rsa; p=${data.replaceAll('+', '')}`,
    /Fix the DKIM keys/,
    '',
  ),
  {
    behaviour: 'pasted DKIM: at the domain itself',
    records: { 'example.com': { ...MX, TXT: ['v=spf1 mx -all', strong] }, ...HOST, ...REJECT },
    want: '',
    sentence: /A DKIM key is published at example\.com itself/,
  },

  policy(
    'a blank for a semicolon',
    'v=DMARC1; p=none rua=mailto:d@example.com',
    /semicolon between the tags/,
  ),
  policy('no semicolon at all', 'v=DMARC1 p=none rua=mailto:d@example.com', /Anyone can send/),
  policy(
    'a lost separator',
    'v=DMARC1;p=nonerua=mailto:d@example.com',
    /semicolon between the tags/,
  ),
  policy(
    'no-break spaces',
    'v=DMARC1;\u00a0p=none;\u00a0rua=mailto:d@example.com',
    /no-break spaces/,
  ),
  policy(
    'typographic quotation marks',
    '“v=DMARC1; p=none; rua=mailto:d@example.com”',
    /Anyone can send/,
  ),
  policy('backslashes', 'v=DMARC1\\; p=none\\; rua=mailto:d@example.com', /Anyone can send/),
  policy(
    'the line of a zone file',
    '_dmarc.example.com. IN TXT "v=DMARC1; p=none; rua=mailto:d@example.com"',
    /Anyone can send/,
  ),
  policy(
    'tags in upper case, which are right',
    'V=DMARC1; P=NONE; RUA=mailto:d@example.com',
    /p=quarantine instead of p=NONE/,
    'v=DMARC1; p=quarantine; RUA=mailto:d@example.com',
  ),
];

/** Domains whose DNS shows one of the smaller mistakes. */
export const SMALLER_ZONES: readonly CorpusCase[] = [
  {
    behaviour: 'psd=y at a company',
    records: mail('v=spf1 mx -all', dmarc(`v=DMARC1; p=reject; psd=y; rua=mailto:d@example.com`)),
  },
  {
    behaviour: 'sp=none without np',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=reject; sp=none; rua=mailto:d@example.com')),
    scores: [100, 100],
  },
  {
    behaviour: 'np=none beside reject',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=reject; np=none; rua=mailto:d@example.com')),
  },
  {
    behaviour: 't=y beside none',
    records: mail('v=spf1 mx -all', dmarc('v=DMARC1; p=none; t=y; rua=mailto:d@gone.example')),
  },
  {
    behaviour: 'MX at localhost',
    records: {
      ...mail('v=spf1 ip4:192.0.2.1 -all', REJECT),
      'example.com': { MX: [[10, 'localhost']], TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
    },
  },
  {
    behaviour: 'MX hosts with IPv6 only',
    records: mail('v=spf1 mx -all', REJECT, { 'mx.example.com': { AAAA: ['2600::1'] } }),
  },
  {
    behaviour: 'a null MX and mx in SPF',
    records: { 'example.com': { MX: [[0, '.']], TXT: ['v=spf1 mx -all'] } },
    scores: [35, 70],
  },
  {
    behaviour: 'a null MX and a soft fail',
    records: { 'example.com': { MX: [[0, '.']], TXT: ['v=spf1 ~all'] } },
    scores: [30, 70],
  },
  {
    behaviour: 'a parked domain with a soft fail and a revoked wildcard key',
    records: {
      'example.com': { A: ['192.0.2.1'], TXT: ['v=spf1 ~all'] },
      '*._domainkey.example.com': { TXT: ['v=DKIM1; p='] },
    },
    scores: [20, 70],
  },
  {
    behaviour: 'a CNAME at the apex',
    records: {
      'example.com': { CNAME: 'host.example.net' },
      'host.example.net': { A: ['192.0.2.1'] },
      ...key(),
    },
  },
  {
    behaviour: 'void terms beside a good one',
    records: mail('v=spf1 a:g1.example.com a:g2.example.com a:g3.example.com mx -all', REJECT),
    scores: [80, 100],
  },
  {
    behaviour: 'void terms before a redirect',
    records: mail('v=spf1 a:g1.example.com redirect=strict.example.net', REJECT),
  },
  {
    behaviour: 'three addresses for reports',
    records: mail(
      'v=spf1 mx -all',
      dmarc(
        'v=DMARC1; p=reject; rua=mailto:a@example.com,mailto:b@example.com,mailto:c@example.com',
      ),
    ),
  },
  {
    behaviour: 'a _dmarc that is an alias within the organization',
    records: mail('v=spf1 mx -all', {
      '_dmarc.example.com': { CNAME: '_dmarc.mail.example.com' },
      ...dmarc('v=DMARC1; p=none', 'mail.example.com'),
    }),
  },
];
