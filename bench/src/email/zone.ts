/**
 * The domains that the benchmark checks. Each has two mail hosts, an SPF tree of ten lookups, three
 * keys (two behind aliases) under common selectors, and a DMARC record with an external report
 * address whose host has agreed. The longest path takes four answers: the domain's SPF record and
 * three nested includes. No two domains share a name that is asked, except `_dmarc.example`.
 */
import { generateKeyPairSync } from 'node:crypto';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';

export const DOMAIN = 'sender.example';
export const KEY_SELECTORS = ['google', 'selector1', 'k1'];
export const SPF_LOOKUPS = 10;
export const ROUND_TRIPS = 4;

/** Checked at the same time. */
export const AT_ONCE = 200;
/** Checked from a file; the first ones are also checked at once. */
export const LIST = 1_000;
export const listedDomain = (i: number) => `domain-${i}.example`;
/** The expected grade of each: if all were alike, mixed-up answers would go unnoticed. */
export const listedGrade = (i: number) => KINDS[i % KINDS.length]?.grade;

type Kind = {
  readonly grade: 'A' | 'B' | 'C';
  readonly policy: 'reject' | 'none';
  readonly hasKeys: boolean;
};
const BEST: Kind = { grade: 'A', policy: 'reject', hasKeys: true };
const KINDS: readonly Kind[] = [
  BEST,
  { grade: 'B', policy: 'none', hasKeys: true },
  { grade: 'C', policy: 'reject', hasKeys: false },
];

export function makeZone(): ZoneRecords {
  // mailauth asks through Node's own resolver, which sends no EDNS: an answer above 512 bytes would
  // cost it a TCP connection, and this server does not compress names. So the keys behind aliases
  // are short ones.
  const keys = { direct: keyRecord(2048), aliased: keyRecord(1024) };
  const listed = Array.from({ length: LIST }, (_, i) =>
    recordsOf(listedDomain(i), KINDS[i % KINDS.length] ?? BEST, keys),
  );
  return Object.assign({}, recordsOf(DOMAIN, BEST, keys), ...listed);
}

function keyRecord(modulusLength: number): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength });
  return `v=DKIM1; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
}

function recordsOf(
  domain: string,
  { policy, hasKeys }: Kind,
  key: { direct: string; aliased: string },
): ZoneRecords {
  const reports = `reports.of-${domain}`;
  const [direct = '', ...aliased] = KEY_SELECTORS.map(
    (selector) => `${selector}._domainkey.${domain}`,
  );
  const keys = {
    [direct]: { TXT: [key.direct] },
    ...Object.assign({}, ...aliased.map((name) => aliasTo(name, key.aliased))),
  };
  const spf = (name: string, terms: string) => ({
    [`${name}.${domain}`]: { TXT: [`v=spf1 ${terms} ~all`] },
  });
  return {
    [domain]: {
      MX: [
        [10, `mx1.${domain}`],
        [20, `mx2.${domain}`],
      ],
      TXT: [
        `v=spf1 mx a:out.${domain} include:_a.${domain} include:_b.${domain} -all`,
        'site-verification=0123456789',
      ],
    },
    [`mx1.${domain}`]: { A: ['192.0.2.1'] },
    [`mx2.${domain}`]: { A: ['192.0.2.2'] },
    [`out.${domain}`]: { A: ['192.0.2.3'] },
    ...spf('_a', `include:_a1.${domain} include:_a2.${domain}`),
    ...spf('_a1', `include:_a11.${domain} include:_a12.${domain}`),
    ...spf('_a11', 'ip4:198.51.100.0/26'),
    ...spf('_a12', 'ip4:198.51.100.64/26'),
    ...spf('_a2', 'ip4:198.51.100.128/26'),
    ...spf('_b', `include:_b1.${domain}`),
    ...spf('_b1', `include:_b11.${domain}`),
    ...spf('_b11', 'ip6:2001:db8::/48'),
    ...(hasKeys ? keys : {}),
    [`_dmarc.${domain}`]: { TXT: [`v=DMARC1; p=${policy}; rua=mailto:dmarc@${reports}`] },
    [`${domain}._report._dmarc.${reports}`]: { TXT: ['v=DMARC1'] },
  };
}

function aliasTo(name: string, key: string): ZoneRecords {
  return { [name]: { CNAME: `${name}.host.example` }, [`${name}.host.example`]: { TXT: [key] } };
}
