/**
 * Zones that try to make a check send, hold, compute or print without bound. All are below names of
 * their own, so that one server can have them all.
 */
import type { ZoneEntry, ZoneRecords } from '@whence/testing/servers/zone-literal';

/** The longest TXT record that fits into a DNS message, in round numbers. */
export const LONG_TXT_BYTES = 64_000;
/** The longest that is read. */
const READ_TXT_BYTES = 16 * 1024;

function fill(start: string, piece: string, bytes: number): string {
  return start + piece.repeat(Math.floor((bytes - start.length) / piece.length));
}

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** 100 includes, each a record of `bytes` bytes. */
export function manyIncludes(domain: string, bytes: number): ZoneRecords {
  const names = times(100, (i) => `i${i}.${domain}`);
  return {
    [domain]: {
      TXT: [`v=spf1 ${names.map((name) => `include:${name}`).join(' ')} -all`],
      A: ['192.0.2.1'],
    },
    // "x" is not a mechanism: every term is an error.
    ...Object.fromEntries(names.map((name) => [name, { TXT: [fill('v=spf1 ', 'x ', bytes)] }])),
  };
}

export const MANY_SELECTORS = times(50, (i) => `k${i}`);

/** A key under each of `MANY_SELECTORS`, of `bytes` bytes, with an error at each of them. */
export function manySelectors(domain: string, bytes: number): ZoneRecords {
  const entries = MANY_SELECTORS.map((selector): [string, ZoneEntry] => [
    `${selector}._domainkey.${domain}`,
    { TXT: [fill('v=DKIM1', ';', bytes)] },
  ]);
  return { [domain]: { A: ['192.0.2.1'] }, ...Object.fromEntries(entries) };
}

/**
 * Characters that can stand in a name that is asked: two of them make enough labels, and fit 3,300
 * times.
 */
const LABEL_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789!#$&'()*+,-/:;<=>?@[]^_`{|}~";

/** 3,300 MX hosts, each an alias of an alias, and so on, 12 times. */
export function manyMxHosts(domain: string): ZoneRecords {
  const labels = times(3_300, (i) => {
    const { length } = LABEL_CHARACTERS;
    return `${LABEL_CHARACTERS[i % length]}${LABEL_CHARACTERS[Math.floor(i / length)]}`;
  });
  const records: Record<string, ZoneEntry> = {
    [domain]: { MX: labels.map((label, i) => [i, `${label}.${domain}`]) },
  };
  for (const label of labels)
    for (let link = 0; link < 12; link++)
      records[link === 0 ? `${label}.${domain}` : `${label}.l${link}.${domain}`] = {
        CNAME: `${label}.l${link + 1}.${domain}`,
      };
  return records;
}

/** An SPF record whose terms all ask about names of another domain. */
export function manyVictims(domain: string, victim: string): ZoneRecords {
  return { [domain]: { TXT: [`v=spf1 ${times(100, (i) => `a:h${i}.${victim}`).join(' ')} -all`] } };
}

/**
 * As large a report as can be: long records full of characters that JSON escapes, and errors in all
 * of them.
 */
export function largestReport(domain: string): ZoneRecords {
  // Quotation marks can stand in a name, and take two bytes in JSON.
  const name = (i: number) => `${`${'"'.repeat(60)}.`.repeat(3)}h${i}.${domain}`;
  const spf = `v=spf1 ${times(60, (i) => `include:${name(i)}`).join(' ')} `;
  const uris = (tag: string) =>
    `${tag}=${times(90, (i) => `mailto:${tag}${'x'.repeat(40)}@${i}.example`).join(',')};`;
  return {
    [domain]: { TXT: [fill(spf, '\x01" ', READ_TXT_BYTES)], MX: times(60, (i) => [i, name(i)]) },
    [`_dmarc.${domain}`]: {
      TXT: [fill(`v=DMARC1; p=none; ${uris('rua')}${uris('ruf')}`, '"\x02;', READ_TXT_BYTES)],
    },
    ...Object.fromEntries(
      MANY_SELECTORS.map((selector) => [
        `${selector}._domainkey.${domain}`,
        { TXT: [fill(`v=DKIM1;${`${'"'.repeat(70)};`.repeat(30)}p=`, '\x01', READ_TXT_BYTES)] },
      ]),
    ),
  };
}
