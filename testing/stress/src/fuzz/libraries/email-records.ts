/**
 * The email check on hostile TXT records, without a network: whatever they say, there is a report
 * with every field, and none of them is null.
 */
import { examineDomain } from '@whence/email';
import type { Answer, MxHost, Resolver } from '@whence/email/dns';
import type { Words } from '@whence/testing/seeded-random';
import { oneIn, pick } from '../case-random.ts';
import { mutate } from '../mutate.ts';
import { describeError, type FuzzInput, type Subject } from './subject.ts';

const DOMAIN = 'question.example';

const SAMPLES = [
  'v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 a mx:mail.example/24//64 include:b.example exists:%{i}._spf.%{d2} ~all',
  'v=spf1 redirect=_spf.example exp=explain.%{d} ptr:p.example -all',
  'v=DMARC1; p=quarantine; sp=none; np=reject; pct=50; rua=mailto:a@b.example!10m,https://c.example; ruf=mailto:d@e; fo=1:d:s; adkim=s; aspf=r; ri=3600; t=y; psd=n',
  'v=DKIM1; k=rsa; h=sha256; s=email; t=y:s; n=note; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC7l9oxgvf4KnMYcTqFyN0Sx7p0Tt9oI1mvF7iKZ1o6pWqwL4O8J2yqfX5u2mE9oVq3QxW4mE5uWb3k0Zk8n7a8m5m0n3l2k1j0iHgGfFeEdDcCbBaAZzYyXxWwVvUuTtSsRrQqPpOoNnMmLlKkJjIiHhGgFfEeDdCcBbAa0QIDAQAB',
  'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  'v=STSv1; id=20240101',
].map((text) => Buffer.from(text, 'latin1'));

const WORDS = [
  ';',
  ';;;',
  '=',
  ':',
  '/',
  '//',
  '%{',
  '}',
  '%{d}',
  '%%',
  'v=spf1 ',
  'v=DMARC1;',
  'v=DKIM1;',
  ' ',
  '\t',
  '\0',
  'p=',
  'include:',
  'redirect=',
  'mailto:',
  '!',
  ',',
  'MIG',
  '999999999999',
  '-1',
];
const HINTS = { words: WORDS.map((word) => Buffer.from(word)), others: SAMPLES, maxBytes: 20_000 };

export const emailRecords: Subject = {
  make: (random) => ({
    about: pick(random, ['apex', '_dmarc', '_domainkey', 'everywhere']),
    bytes: makeText(random),
  }),
  async run({ about, bytes }: FuzzInput) {
    try {
      const { report } = await examineDomain(DOMAIN, {
        resolver: resolverOf(about, bytes.toString('latin1')),
      });
      return faultOf(report);
    } catch (error) {
      return describeError(error);
    }
  },
};

function makeText(random: Words): Buffer {
  const sample = pick(random, SAMPLES);
  return oneIn(random, 20) ? sample : mutate(sample, random, HINTS);
}

/** The text is what names of that kind have; other names have nothing. */
function resolverOf(about: string, text: string): Resolver {
  const isAbout = (name: string) =>
    about === 'everywhere' ||
    (about === 'apex' ? !name.startsWith('_') && !name.includes('._') : name.includes(about));
  const found = <T>(records: readonly T[]): Promise<Answer<T>> =>
    Promise.resolve({ kind: 'found', records, aliases: [] });
  const nothing = <T>(): Promise<Answer<T>> => Promise.resolve({ kind: 'nodata' });
  return {
    txt: (name) => (isAbout(name) ? found([text]) : nothing()),
    mx: (name) =>
      name === DOMAIN ? found<MxHost>([{ preference: 10, exchange: 'mx.example' }]) : nothing(),
    a: () => found(['192.0.2.1']),
    aaaa: () => nothing(),
    tlsa: () => nothing(),
  };
}

function faultOf(report: { domain_auth_score: number; grade: string }): string | undefined {
  const { domain_auth_score, grade } = report;
  if (!Number.isInteger(domain_auth_score) || domain_auth_score < 0 || domain_auth_score > 100)
    return `the score is ${domain_auth_score}`;
  if (!/^[A-F]$/.test(grade)) return `the grade is ${grade}`;
  const path = missingValue(report, 'report');
  return path === undefined ? undefined : `${path} is missing`;
}

/** The path of a value that is null or undefined. */
function missingValue(value: unknown, path: string): string | undefined {
  if (value === null || value === undefined || Number.isNaN(value)) return path;
  if (typeof value !== 'object') return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const missing = missingValue(inner, `${path}.${key}`);
    if (missing !== undefined) return missing;
  }
  return undefined;
}
