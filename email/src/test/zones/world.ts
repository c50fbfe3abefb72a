/**
 * What the zones of the corpus have in common: the records of providers they refer to, in
 * documentation ranges, and short ways to write a domain. Names of providers are real, since the
 * check knows them.
 */
import type { ZoneEntry, ZoneRecords } from '@whence/testing/servers/zone-literal';
import { KEYS } from '../dkim-keys.ts';

export type CorpusCase = {
  readonly behaviour: string;
  /** Default: example.com. */
  readonly domain?: string;
  readonly records: ZoneRecords;
  /** The score as it is, and after everything that was proposed is published. */
  readonly scores?: readonly [before: number, after: number];
};

export const MX = { MX: [[10, 'mx.example.com']] } as const satisfies ZoneEntry;
export const HOST = { 'mx.example.com': { A: ['192.0.2.25'] } } as const;
export const RUA = 'rua=mailto:d@example.com';
export const PARKED = { MX: [[0, '.']], TXT: ['v=spf1 -all'] } as const satisfies ZoneEntry;

/** The MX host and the name to include, for each provider, in a /26 of its own. */
const MAIL_PROVIDERS: readonly (readonly [mx: string, include: string, policy?: string])[] = [
  ['aspmx.l.google.com', '_spf.google.com', '~all'],
  ['example-com.mail.protection.outlook.com', 'spf.protection.outlook.com', '-all'],
  ['mx.zoho.eu', 'zohomail.eu'],
  ['mx.zoho.com', 'zohomail.com'],
  ['in1-smtp.messagingengine.com', 'spf.messagingengine.com', '?all'],
  ['mail.protonmail.ch', '_spf.protonmail.ch'],
  ['mx01.mail.icloud.com', 'icloud.com'],
  ['mx.yandex.net', '_spf.yandex.net'],
  ['emx.mail.ru', '_spf.mail.ru'],
  ['mx0.mail.ovh.net', 'mx.ovh.com'],
  ['mx00.ionos.de', '_spf-eu.ionos.com'],
  ['spool.mail.gandi.net', '_mailcust.gandi.net'],
  ['mx1.hostinger.com', '_spf.mail.hostinger.com'],
  ['mxext1.mailbox.org', 'mailbox.org'],
  ['aspmx1.migadu.com', 'spf.migadu.com'],
  ['mx1.emailsrvr.com', 'emailsrvr.com'],
  ['smtp.secureserver.net', 'secureserver.net'],
  ['mx1.titan.email', 'spf.titan.email'],
  ['mx1.privateemail.com', 'spf.privateemail.com'],
  ['route1.mx.cloudflare.net', '_spf.mx.cloudflare.net'],
  ['mxa.mailgun.org', 'mailgun.org'],
  ['mx1.improvmx.com', 'spf.improvmx.com'],
  ['inbound-smtp.eu-west-1.amazonaws.com', 'amazonses.com'],
  ['mx1.dreamhost.com', 'netblocks.dreamhost.com'],
  ['mailcluster.loopia.se', 'spf.loopia.se'],
];

/** Services that only send, by the name to include. */
const SENDING_SERVICES = [
  'sendgrid.net',
  'servers.mcsv.net',
  'spf.mandrillapp.com',
  'spf.mtasv.net',
  'spf.brevo.com',
  'spf.mailjet.com',
  '_spf.salesforce.com',
  'mail.zendesk.com',
  '1234567.spf04.hubspotemail.net',
  '_spf.elasticemail.com',
];

function block(i: number): string {
  return `203.0.${i}.0/26`;
}

const providers = MAIL_PROVIDERS.map(
  ([mx, include, policy = '~all'], i): ZoneRecords => ({
    [mx]: { A: [`203.0.${i}.5`] },
    [include]: { TXT: [`v=spf1 ip4:${block(i)} ${policy}`] },
  }),
);
const services = SENDING_SERVICES.map(
  (include, i): ZoneRecords => ({
    [include]: { TXT: [`v=spf1 ip4:${block(100 + i)} ~all`] },
  }),
);

export const WORLD: ZoneRecords = Object.assign(
  {
    'selector1-example-com._domainkey.example.onmicrosoft.com': { TXT: [KEYS.strong] },
    'selector2-example-com._domainkey.example.onmicrosoft.com': { TXT: [KEYS.strong] },
    'example.onmicrosoft.com': { A: ['203.0.113.9'] },
    'open.example.net': { TXT: ['v=spf1 +all'] },
    'sender.example.net': { TXT: ['v=spf1 ip4:203.0.113.64/26 ~all'] },
    'strict.example.net': { TXT: ['v=spf1 ip4:203.0.113.128/26 -all'] },
    'reports.example.net': { MX: [[10, 'mx.example.com']] },
    '*._report._dmarc.reports.example.net': { TXT: ['v=DMARC1'] },
    'filter.example.org': { A: ['203.0.113.200'] },
  } satisfies ZoneRecords,
  ...providers,
  ...services,
);

export const dmarc = (text: string, domain = 'example.com'): ZoneRecords => ({
  [`_dmarc.${domain}`]: { TXT: [text] },
});

export const key = (
  selector = 's1',
  text: string = KEYS.strong,
  domain = 'example.com',
): ZoneRecords => ({
  [`${selector}._domainkey.${domain}`]: { TXT: [text] },
});

export const NONE = dmarc(`v=DMARC1; p=none; ${RUA}`);
export const QUARANTINE = dmarc(`v=DMARC1; p=quarantine; ${RUA}`);
export const REJECT = dmarc(`v=DMARC1; p=reject; ${RUA}`);

/** A domain with working MX of its own, a key, and the given SPF records. */
export function mail(
  spf: string | readonly string[],
  ...more: readonly ZoneRecords[]
): ZoneRecords {
  return Object.assign(
    {},
    WORLD,
    { 'example.com': { ...MX, TXT: [spf].flat() } },
    HOST,
    key(),
    ...more,
  );
}

/** A domain at a provider, with the given entry beside its MX. */
export function hosted(mx: string, entry: ZoneEntry, ...more: readonly ZoneRecords[]): ZoneRecords {
  return Object.assign({}, WORLD, { 'example.com': { MX: [[10, mx]], ...entry } }, ...more);
}
