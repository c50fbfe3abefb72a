/** Domains at mail providers and sending services: set up well, half, or wrongly. */
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { KEYS } from '../dkim-keys.ts';
import {
  type CorpusCase,
  dmarc,
  HOST,
  hosted,
  key,
  mail,
  NONE,
  QUARANTINE,
  REJECT,
  RUA,
  WORLD,
} from './world.ts';

const MICROSOFT = 'example-com.mail.protection.outlook.com';
const tenantAliases: ZoneRecords = {
  'selector1._domainkey.example.com': {
    CNAME: 'selector1-example-com._domainkey.example.onmicrosoft.com',
  },
  'selector2._domainkey.example.com': {
    CNAME: 'selector2-example-com._domainkey.example.onmicrosoft.com',
  },
};
const deadAliases: ZoneRecords = {
  'selector1._domainkey.example.com': {
    CNAME: 'selector1-example-com._domainkey.contoso.onmicrosoft.com',
  },
  'selector2._domainkey.example.com': {
    CNAME: 'selector2-example-com._domainkey.contoso.onmicrosoft.com',
  },
  'onmicrosoft.com': { A: ['203.0.113.10'] },
};

/** Nothing but MX: what is proposed first must name the provider, not its MX hosts. */
const bare = (
  [
    ['Zoho in Europe', 'mx.zoho.eu'],
    ['Zoho', 'mx.zoho.com'],
    ['Fastmail', 'in1-smtp.messagingengine.com'],
    ['Proton', 'mail.protonmail.ch'],
    ['iCloud', 'mx01.mail.icloud.com'],
    ['Yandex', 'mx.yandex.net'],
    ['VK WorkSpace', 'emx.mail.ru'],
    ['OVHcloud', 'mx0.mail.ovh.net'],
    ['IONOS', 'mx00.ionos.de'],
    ['Gandi', 'spool.mail.gandi.net'],
    ['Hostinger', 'mx1.hostinger.com'],
    ['mailbox.org', 'mxext1.mailbox.org'],
    ['Migadu', 'aspmx1.migadu.com'],
    ['Rackspace', 'mx1.emailsrvr.com'],
    ['GoDaddy', 'smtp.secureserver.net'],
    ['Titan', 'mx1.titan.email'],
    ['Private Email', 'mx1.privateemail.com'],
    ['Cloudflare Email Routing', 'route1.mx.cloudflare.net'],
    ['Amazon', 'inbound-smtp.eu-west-1.amazonaws.com'],
    ['Loopia', 'mailcluster.loopia.se'],
  ] as const
).map(
  ([name, mx]): CorpusCase => ({
    behaviour: `${name}, only MX`,
    records: hosted(mx, {}),
    scores: [10, 40],
  }),
);

/**
 * Set up as the provider says, with the selector that it uses: nothing is missing but stricter
 * policies.
 */
const complete = (
  [
    ['Zoho', 'mx.zoho.eu', 'zohomail.eu', 'zmail'],
    ['Hostinger', 'mx1.hostinger.com', '_spf.mail.hostinger.com', 'hostingermail-a'],
    ['IONOS', 'mx00.ionos.de', '_spf-eu.ionos.com', 's1-ionos'],
    ['mailbox.org', 'mxext1.mailbox.org', 'mailbox.org', 'MBO0001'],
    ['Cloudflare Email Routing', 'route1.mx.cloudflare.net', '_spf.mx.cloudflare.net', 'cf2024-1'],
    ['Mailgun', 'mxa.mailgun.org', 'mailgun.org', 'pic'],
    ['Gandi', 'spool.mail.gandi.net', '_mailcust.gandi.net', 'gm1'],
    ['Titan', 'mx1.titan.email', 'spf.titan.email', 'titan1'],
    ['VK WorkSpace', 'emx.mail.ru', '_spf.mail.ru', 'mailru'],
    ['ImprovMX', 'mx1.improvmx.com', 'spf.improvmx.com', 'dkimprovmx1'],
    ['Migadu', 'aspmx1.migadu.com', 'spf.migadu.com', 'key2'],
    ['Fastmail', 'in1-smtp.messagingengine.com', 'spf.messagingengine.com', 'fm1'],
  ] as const
).map(
  ([name, mx, include, selector]): CorpusCase => ({
    behaviour: `${name}, complete`,
    records: hosted(
      mx,
      { TXT: [`v=spf1 include:${include} ~all`] },
      key(selector.toLowerCase()),
      REJECT,
    ),
    scores: [95, 100],
  }),
);

/** A service beside own servers, known by its include or its selector only. */
const services = (
  [
    ['SendGrid', 'sendgrid.net', 's1'],
    ['Mailchimp', 'servers.mcsv.net', 'k2'],
    ['Mandrill', 'spf.mandrillapp.com', 'mte1'],
    ['Postmark', 'spf.mtasv.net', 'pm'],
    ['Brevo', 'spf.brevo.com', 'brevo1'],
    ['Mailjet', 'spf.mailjet.com', 'mailjet'],
    ['Zendesk', 'mail.zendesk.com', 'zendesk1'],
    ['HubSpot', '1234567.spf04.hubspotemail.net', 'hs1-1234567'],
    ['Elastic Email', '_spf.elasticemail.com', 'api'],
  ] as const
).map(([name, include, selector]): CorpusCase => {
  const records = { ...mail(`v=spf1 mx include:${include} ~all`, QUARANTINE, key(selector)) };
  delete (records as Record<string, unknown>)['s1._domainkey.example.com'];
  return {
    behaviour: `own servers and ${name}`,
    records: { ...records, ...key(selector) },
    scores: [85, 100],
  };
});

export const PROVIDER_ZONES: readonly CorpusCase[] = [
  ...bare,
  ...complete,
  ...services,
  {
    behaviour: 'Google with everything, monitoring',
    records: hosted(
      'aspmx.l.google.com',
      { TXT: ['v=spf1 include:_spf.google.com ~all'] },
      key('google'),
      NONE,
    ),
    scores: [70, 100],
  },
  {
    behaviour: 'Microsoft 365 with live aliases',
    records: hosted(
      MICROSOFT,
      { TXT: ['v=spf1 include:spf.protection.outlook.com -all'] },
      tenantAliases,
      NONE,
    ),
    scores: [75, 100],
  },
  {
    behaviour: 'Microsoft 365 with aliases of a tenant that has no keys',
    records: hosted(
      MICROSOFT,
      { TXT: ['v=spf1 include:spf.protection.outlook.com -all'] },
      deadAliases,
      REJECT,
    ),
    scores: [70, 70],
  },
  {
    behaviour: 'a dead alias beside a good key',
    records: hosted(
      MICROSOFT,
      { TXT: ['v=spf1 include:spf.protection.outlook.com -all'] },
      deadAliases,
      key('s1'),
      REJECT,
    ),
    scores: [100, 100],
  },
  {
    behaviour: 'a provider whose include is missing, with -all',
    records: hosted(
      'aspmx.l.google.com',
      { TXT: ['v=spf1 include:sendgrid.net -all'] },
      key('google'),
      REJECT,
    ),
    scores: [100, 100],
  },
  {
    behaviour: 'a provider whose include is missing, with ~all',
    records: hosted('mx.zoho.eu', { TXT: ['v=spf1 ip4:192.0.2.1 ~all'] }, key('zmail'), REJECT),
    scores: [95, 95],
  },
  {
    behaviour: 'a provider whose include is in a record that is included',
    records: hosted(
      'aspmx.l.google.com',
      { TXT: ['v=spf1 include:_spf.example.com ~all'] },
      { '_spf.example.com': { TXT: ['v=spf1 include:_spf.google.com -all'] } },
      key('google'),
      REJECT,
    ),
    scores: [95, 100],
  },
  {
    behaviour: 'MX at a filter that is not known',
    records: hosted('filter.example.org', {}),
    scores: [10, 20],
  },
  {
    behaviour: 'MX at a provider and at a filter',
    records: {
      ...WORLD,
      'example.com': {
        MX: [
          [10, 'filter.example.org'],
          [20, 'aspmx.l.google.com'],
        ],
      },
    },
    scores: [10, 40],
  },
  {
    behaviour: 'a provider whose include does not exist',
    records: {
      'example.com': { MX: [[1, 'aspmx.l.google.com']] },
      'aspmx.l.google.com': { A: ['192.0.2.30'] },
    },
    scores: [10, 20],
  },
  {
    behaviour: '-all alone beside MX and a key: services with a return path of their own',
    records: hosted('aspmx.l.google.com', { TXT: ['v=spf1 -all'] }, key('google'), NONE),
    scores: [75, 100],
  },
  {
    behaviour: '-all alone beside a key, without MX',
    records: {
      ...WORLD,
      'example.com': { TXT: ['v=spf1 -all'] },
      ...key('s1'),
      ...dmarc('v=DMARC1; p=none'),
    },
    scores: [60, 70],
  },
  {
    behaviour: 'a null MX beside a key and -all',
    records: { ...WORLD, 'example.com': { MX: [[0, '.']], TXT: ['v=spf1 -all'] }, ...key('s1') },
    scores: [65, 70],
  },
  {
    behaviour: 'notifications only: a null MX, a service, a key, reports elsewhere',
    records: {
      ...WORLD,
      'example.com': { MX: [[0, '.']], TXT: ['v=spf1 include:sendgrid.net -all'] },
      ...key('s1'),
      ...dmarc('v=DMARC1; p=none; rua=mailto:d@reports.example.net'),
    },
    scores: [75, 100],
  },
  {
    behaviour: 'reports to a service that has agreed',
    records: hosted(
      'aspmx.l.google.com',
      { TXT: ['v=spf1 include:_spf.google.com -all'] },
      key('google'),
      dmarc('v=DMARC1; p=quarantine; rua=mailto:x@reports.example.net'),
    ),
    scores: [90, 100],
  },
  {
    behaviour: 'own servers, a short key for a service beside a strong one',
    records: mail('v=spf1 mx include:sendgrid.net ~all', key('s2', KEYS.weak), NONE),
    scores: [70, 100],
  },
  {
    behaviour: 'a redirect to a provider',
    records: hosted(
      'mx.yandex.net',
      { TXT: ['v=spf1 redirect=_spf.yandex.net'] },
      key('mail'),
      REJECT,
    ),
    scores: [95, 95],
  },
  {
    behaviour: 'a redirect to a provider before all',
    records: hosted(
      'mx.yandex.net',
      { TXT: ['v=spf1 redirect=_spf.yandex.net ~all'] },
      key('mail'),
      REJECT,
    ),
    scores: [95, 100],
  },
  {
    behaviour: 'a subdomain for a service, below a strict parent',
    domain: 'news.example.com',
    records: {
      ...mail('v=spf1 mx -all', REJECT),
      'news.example.com': {
        MX: [[10, 'mx.example.com']],
        TXT: ['v=spf1 include:servers.mcsv.net ~all'],
      },
      ...key('k1', KEYS.strong, 'news.example.com'),
    },
    scores: [95, 100],
  },
  {
    behaviour: 'the MX of another domain of the same owner',
    records: {
      ...WORLD,
      ...HOST,
      'example.com': { MX: [[10, 'mx.example.com']] },
      ...dmarc(`v=DMARC1; p=none; ${RUA}`),
    },
    scores: [20, 40],
  },
];
