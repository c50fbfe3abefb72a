/**
 * Aggregate reports of a domain that much is sent from: its own servers, three services, forwarders
 * and impostors.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export const DOMAIN = 'example.com';
export const ZONE = {
  [DOMAIN]: {
    TXT: [
      'v=spf1 ip4:192.0.2.0/26 include:sendgrid.net include:_spf.google.com include:mail.zendesk.com -all',
    ],
    MX: [[10, `mx.${DOMAIN}`]],
  },
  [`mx.${DOMAIN}`]: { A: ['192.0.2.1'] },
  [`_dmarc.${DOMAIN}`]: { TXT: [`v=DMARC1; p=none; rua=mailto:d@${DOMAIN}`] },
  'sendgrid.net': { TXT: ['v=spf1 ip4:167.89.0.0/17 -all'] },
  '_spf.google.com': { TXT: ['v=spf1 ip4:209.85.128.0/17 -all'] },
  'mail.zendesk.com': { TXT: ['v=spf1 ip4:192.161.144.0/20 -all'] },
} as const;

const DAY_S = 86_400;
const DAYS = 34;
const REPORTERS = [
  'google.com',
  'Yahoo',
  'Outlook.com',
  ...Array.from({ length: 17 }, (_, i) => `mx${i}.example.net`),
];
export const REPORTS = DAYS * REPORTERS.length;
/** Files in a folder. */
const FILES = 1_000;

type Random = () => number;
/** Shares of rows, added up; from how many addresses, with which results of DKIM and SPF. */
const SENDERS = [
  {
    upTo: 0.25,
    base: [192, 0, 2, 0],
    addresses: 60,
    results: ['pass pass', 'pass pass', 'fail pass'],
  },
  { upTo: 0.4, base: [167, 89, 0, 0], addresses: 1_000, results: ['pass fail', 'pass pass'] },
  { upTo: 0.55, base: [209, 85, 128, 0], addresses: 1_000, results: ['pass pass', 'fail pass'] },
  { upTo: 0.6, base: [192, 161, 144, 0], addresses: 1_000, results: ['none fail'] },
  { upTo: 0.7, base: [81, 0, 0, 0], addresses: 5_000, results: ['pass fail', 'fail fail'] },
] as const;
const FORGERS = { base: [5, 0, 0, 0], addresses: 50_000, results: ['none fail', 'none none'] };

/** From any of so many addresses all over the Internet. */
const INVENTED = 200_000;
/** The share of a flooded domain’s mail that is like the mail of the other domain. */
const USUAL = 0.05;

export function inventedAddresses(random: Random): string[] {
  const octet = () => Math.floor(random() * 256);
  return Array.from(
    { length: INVENTED },
    () => `${1 + Math.floor(random() * 222)}.${octet()}.${octet()}.${octet()}`,
  );
}

/** `invented`: forged mail comes from these addresses. */
export function writeReports(
  folder: string,
  rows: number,
  random: Random,
  invented: readonly string[] = [],
): void {
  mkdirSync(folder, { recursive: true });
  const rowsPerReport = Math.ceil(rows / REPORTS);
  const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
  for (let day = 1; day <= DAYS; day++)
    for (const reporter of REPORTERS) {
      const records = Array.from({ length: rowsPerReport }, () =>
        record(random, random() < USUAL ? [] : invented),
      ).join('\n');
      writeFileSync(
        join(folder, `${reporter}-${day}.xml.gz`),
        gzipSync(report(reporter, `${day}`, today - day * DAY_S, records)),
      );
    }
}

/** One row each, in folders of a thousand. */
export function writeSmallReports(folder: string, files: number, random: Random): void {
  const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
  for (let i = 0; i < files; i++) {
    const path = join(folder, String(Math.floor(i / FILES)));
    if (i % FILES === 0) mkdirSync(path, { recursive: true });
    const day = today - ((i % DAYS) + 1) * DAY_S;
    writeFileSync(
      join(path, `${i}.xml`),
      report(`mx${i % 200}.example.net`, `${i}`, day, record(random)),
    );
  }
}

function report(reporter: string, id: string, begin: number, records: string): string {
  return `<?xml version="1.0"?><feedback><report_metadata><org_name>${reporter}</org_name><email>dmarc@${reporter}</email>
<report_id>${id}</report_id><date_range><begin>${begin}</begin><end>${begin + DAY_S - 1}</end></date_range></report_metadata>
<policy_published><domain>${DOMAIN}</domain><p>none</p></policy_published>
${records}</feedback>`;
}

function record(random: Random, invented: readonly string[] = []): string {
  const chosen = invented.length > 0 ? 1 : random();
  const sender = SENDERS.find(({ upTo }) => chosen < upTo) ?? FORGERS;
  const number = Math.floor(random() * sender.addresses);
  const [a, b, c, d] = sender.base;
  const address =
    invented[Math.floor(random() * invented.length)] ??
    `${a}.${b + (number >> 16)}.${c + ((number >> 8) & 255)}.${d + (number & 255)}`;
  const [dkim, spf] = (sender.results[Math.floor(random() * sender.results.length)] ?? '').split(
    ' ',
  );
  const host = random() < 0.9 ? DOMAIN : `shop.${DOMAIN}`;
  const envelopeHost = random() < 0.5 ? host : `bounce.${host}`;
  const envelope = spf === 'none' ? '' : envelopeHost;
  const selector = `s${1 + Math.floor(random() * 3)}`;
  const signature =
    dkim === 'none'
      ? ''
      : `<dkim><domain>${DOMAIN}</domain><selector>${selector}</selector><result>${dkim}</result></dkim>`;
  const passed = (result: string | undefined) => (result === 'pass' ? 'pass' : 'fail');
  return `<record><row><source_ip>${address}</source_ip><count>${1 + Math.floor(random() * 20)}</count><policy_evaluated>
<disposition>none</disposition><dkim>${passed(dkim)}</dkim><spf>${passed(spf)}</spf></policy_evaluated></row>
<identifiers><envelope_from>${envelope}</envelope_from><header_from>${host}</header_from></identifiers>
<auth_results>${signature}<spf><domain>${envelope || host}</domain><scope>mfrom</scope><result>${spf}</result></spf></auth_results></record>`;
}
