/**
 * Domains whose mail is known: what each sender is comes first, then what receivers report of it,
 * and the verdict that follows. For tests of the judge and of the API.
 */
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import type { AskedPolicy } from '../reports/judge/asked-policy.ts';
import type { SenderDecision } from '../reports/report.ts';
import {
  ARC,
  addresses,
  BROKEN,
  FORGED,
  FORWARDED,
  GOOGLE,
  LIST,
  mfrom,
  OURS_AT_SENDGRID,
  OWN,
  passDkim,
  passSpf,
  SENDGRID,
  SERVICE,
  SES,
  type Stream,
  signed,
  ZENDESK,
} from './scripted-streams.ts';

export type ScriptedDomain = {
  readonly behaviour: string;
  readonly streams: readonly Stream[];
  readonly answer: 'yes' | 'no' | 'not_enough';
  /** `reject` unless given. */
  readonly asked?: AskedPolicy;
  /** Senders of the reasons that decide. */
  readonly senders?: readonly string[];
  readonly decisions?: readonly (readonly [string, SenderDecision])[];
  readonly records?: ZoneRecords;
  /** Days before the last one that reports cover; 35 unless given. */
  readonly period?: number;
};

const MX: [number, string][] = [[10, 'mx.example.com']];
const spf = (record: string, more: ZoneRecords = {}): ZoneRecords => ({
  'example.com': { TXT: [record], MX },
  ...more,
});
const dmarc = (record: string, more: ZoneRecords = {}): ZoneRecords => ({
  '_dmarc.example.com': { TXT: [record] },
  ...more,
});
const M365 = { 'spf.protection.outlook.com': { TXT: ['v=spf1 ip4:203.0.113.128/27 -all'] } };
const OUTLOOK = addresses('203.0.113.129', 6);
/** The MX host in another network than the servers. */
const MX_HOST = { 'mx.example.com': { A: ['203.0.113.25'] } };
const TWO_RECORDS: ZoneRecords = {
  'example.com': {
    TXT: ['v=spf1 ip4:192.0.2.0/28 -all', 'v=spf1 ip4:203.0.113.70 include:mail.zendesk.com -all'],
    MX,
  },
};
/** Own mail that passes by SPF alone. */
const UNSIGNED: Stream = { ...OWN, dkimPassed: false, dkim: [] };
const PRINTER: Stream = { ...BROKEN('192.0.2.9', 3), headerFrom: 'printer7.example.com' };
const UNALIGNED: Stream = {
  addresses: ['192.0.2.2'],
  perDay: 30,
  ...mfrom('bounce.example.com', 'pass'),
};
const MAILGUN = (bounces: string, perDay: number): Stream => ({
  addresses: addresses('198.51.100.225', 3),
  perDay,
  ...mfrom(bounces, 'pass'),
});
const OWN_INCLUDE = spf('v=spf1 include:_spf.example.com -all', {
  '_spf.example.com': { TXT: ['v=spf1 ip4:192.0.2.0/28 -all'] },
});
const helo = (domain: string) => ({ spf: [{ domain, scope: 'helo', result: 'pass' }] });

export const SCRIPTED_DOMAINS: readonly ScriptedDomain[] = [
  { behaviour: 'an own server alone', streams: [OWN], answer: 'yes' },
  { behaviour: 'own server and mailboxes', streams: [OWN, GOOGLE], answer: 'yes' },
  { behaviour: 'a service that signs', streams: [OWN, OURS_AT_SENDGRID], answer: 'yes' },
  {
    behaviour: 'a service that does not sign',
    streams: [OWN, ZENDESK],
    answer: 'no',
    senders: ['Zendesk'],
  },
  {
    behaviour: 'the same, decided to be of others',
    streams: [OWN, ZENDESK],
    answer: 'yes',
    decisions: [['zendesk', 'not_ours']],
  },
  {
    behaviour: 'a service outside SPF that signs 60% of its mail',
    streams: [OWN, SES(60, passDkim('ses')), SES(40)],
    answer: 'no',
    senders: ['Amazon SES'],
  },
  {
    behaviour: 'the same, of which no mail was ever signed',
    streams: [OWN, SES(40)],
    answer: 'yes',
  },
  {
    behaviour: 'an unknown service with its own bounce domain that signs 60%',
    streams: [OWN, SERVICE(60, passDkim('crm')), SERVICE(40)],
    answer: 'not_enough',
    senders: ['203.0.113.0/24'],
  },
  {
    behaviour: 'the same, whose unsigned mail comes from other addresses',
    streams: [
      OWN,
      SERVICE(60, passDkim('crm')),
      { ...SERVICE(40), addresses: addresses('203.0.113.60', 4) },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'a server outside SPF that signs 60%',
    streams: [OWN, { ...BROKEN('203.0.113.70', 60), ...passDkim() }, BROKEN('203.0.113.70', 40)],
    answer: 'not_enough',
  },
  {
    behaviour: 'the same, decided to be ours',
    streams: [OWN, { ...BROKEN('203.0.113.70', 60), ...passDkim() }, BROKEN('203.0.113.70', 40)],
    answer: 'no',
    decisions: [['203.0.113.0/24/203.0.113.70', 'ours']],
  },
  {
    behaviour: 'the same, decided to be a forwarder',
    streams: [OWN, { ...BROKEN('203.0.113.70', 60), ...passDkim() }, BROKEN('203.0.113.70', 40)],
    answer: 'yes',
    decisions: [['203.0.113.0/24/203.0.113.70', 'expected_forwarder']],
  },
  {
    behaviour: 'a server outside SPF that signs all of its mail',
    streams: [OWN, { ...BROKEN('203.0.113.70', 60), ...passDkim() }],
    answer: 'yes',
  },
  {
    behaviour: 'an invoice server that loses all of its 0.4%',
    streams: [OWN, GOOGLE, GOOGLE, BROKEN('192.0.2.9', 8)],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'the same, decided by its address',
    streams: [OWN, GOOGLE, GOOGLE, BROKEN('192.0.2.9', 8)],
    answer: 'yes',
    decisions: [['own servers/192.0.2.9', 'not_ours']],
  },
  {
    behaviour: 'a broken server beside a healthy one in the same term',
    streams: [{ ...OWN, perDay: 9_000 }, BROKEN('192.0.2.2', 1)],
    answer: 'no',
  },
  {
    behaviour: 'a server that loses 3 messages a week of 9,000 a day',
    streams: [{ ...OWN, perDay: 9_000 }, BROKEN('192.0.2.2', 1, [14, 0])],
    answer: 'yes',
  },
  {
    behaviour: 'invoices of another name on a server that also sends newsletters',
    streams: [
      { ...OWN, perDay: 9_000 },
      { ...BROKEN('192.0.2.1', 2), headerFrom: 'billing.example.com' },
    ],
    answer: 'no',
  },
  {
    behaviour: 'an own server that failed 50 days ago and was not seen since',
    streams: [OWN, BROKEN('192.0.2.9', 20, [57, 50])],
    answer: 'no',
    senders: ['own servers'],
    period: 90,
  },
  {
    behaviour: 'one that failed 50 days ago and passes now',
    streams: [
      OWN,
      BROKEN('192.0.2.9', 20, [57, 50]),
      { ...OWN, addresses: ['192.0.2.9'], perDay: 10, days: [40, 0] },
    ],
    answer: 'yes',
    period: 90,
  },
  {
    behaviour: 'a few failures 50 days ago',
    streams: [OWN, BROKEN('192.0.2.9', 2, [57, 50])],
    answer: 'yes',
    period: 90,
  },
  {
    behaviour: 'a forger 50 days ago',
    streams: [OWN, { ...FORGED, days: [60, 50] }],
    answer: 'yes',
    period: 90,
  },
  {
    behaviour: 'a service that failed 60 days ago',
    streams: [OWN, { ...ZENDESK, days: [70, 60] }],
    answer: 'no',
    senders: ['Zendesk'],
    period: 90,
  },
  {
    behaviour: 'a seasonal service that failed 60 days ago and passed 40 days ago',
    streams: [
      OWN,
      { ...ZENDESK, days: [70, 60] },
      { ...ZENDESK, ...passDkim('zendesk1'), days: [45, 40] },
    ],
    answer: 'yes',
    period: 90,
  },
  {
    behaviour: 'a server that was repaired 20 days ago',
    streams: [
      OWN,
      BROKEN('192.0.2.9', 50, [34, 20]),
      { ...OWN, addresses: ['192.0.2.9'], perDay: 50, days: [19, 0] },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a server that was repaired 10 days ago',
    streams: [
      OWN,
      BROKEN('192.0.2.9', 50, [34, 10]),
      { ...OWN, addresses: ['192.0.2.9'], perDay: 50, days: [9, 0] },
    ],
    answer: 'no',
  },
  {
    behaviour: 'a server that was repaired, but sends little since',
    streams: [
      OWN,
      BROKEN('192.0.2.9', 50, [34, 20]),
      { ...OWN, addresses: ['192.0.2.9'], perDay: 2, days: [19, 0] },
    ],
    answer: 'no',
  },
  {
    behaviour: 'SPF that names the server by now',
    streams: [OWN, { ...BROKEN('192.0.2.9', 50), ...mfrom('example.com', 'fail') }],
    answer: 'yes',
  },
  {
    behaviour: 'a sender that began two weeks ago',
    streams: [{ ...OWN, perDay: 9_000 }, BROKEN('192.0.2.9', 60, [13, 0])],
    answer: 'no',
  },
  {
    behaviour: 'a server that only the SPF record of a subdomain names',
    streams: [OWN, { ...BROKEN('203.0.113.200', 12), headerFrom: 'shop.example.com' }],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a provider that only the SPF record of a subdomain names',
    streams: [
      OWN,
      {
        addresses: addresses('198.51.100.225', 3),
        perDay: 12,
        headerFrom: 'shop.example.com',
        ...mfrom('mailgun.org', 'pass'),
      },
    ],
    answer: 'no',
    senders: ['Mailgun'],
  },
  {
    behaviour: 'the same provider where no record names it',
    streams: [
      OWN,
      {
        addresses: addresses('198.51.100.225', 3),
        perDay: 12,
        headerFrom: 'news.example.com',
        ...mfrom('mailgun.org', 'pass'),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a subdomain whose SPF was repaired',
    streams: [
      OWN,
      {
        ...BROKEN('203.0.113.200', 30),
        headerFrom: 'shop.example.com',
        ...mfrom('shop.example.com', 'fail'),
      },
    ],
    answer: 'yes',
  },
  { behaviour: 'a forwarder', streams: [OWN, FORWARDED], answer: 'yes' },
  {
    behaviour: 'a forwarder that also forwards forged mail',
    streams: [OWN, FORWARDED, { ...FORWARDED, dkimPassed: false, dkim: [] }],
    answer: 'not_enough',
  },
  { behaviour: 'a mailing list', streams: [OWN, LIST], answer: 'yes' },
  {
    behaviour: 'a mailing list at another customer of Google',
    streams: [
      OWN,
      GOOGLE,
      {
        addresses: addresses('198.51.100.10', 4),
        perDay: 60,
        ...mfrom('club.example', 'pass'),
        ...signed('fail', 'google'),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'another customer of Google that sends as us',
    streams: [
      OWN,
      GOOGLE,
      { addresses: addresses('198.51.100.10', 4), perDay: 60, ...mfrom('club.example', 'pass') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a mailbox at Google that breaks our signature',
    streams: [
      OWN,
      GOOGLE,
      {
        addresses: addresses('198.51.100.10', 4),
        perDay: 60,
        ...mfrom('', 'none'),
        ...signed('fail', 'google'),
      },
    ],
    answer: 'no',
    senders: ['Google'],
  },
  {
    behaviour: 'a list that the receiver knows by ARC',
    streams: [OWN, ARC],
    answer: 'yes',
  },
  {
    behaviour: 'lists and forwarders by their reasons',
    streams: [
      OWN,
      { ...LIST, dkim: [], reasons: [{ type: 'mailing_list', comment: '' }] },
      { ...LIST, dkim: [], reasons: [{ type: 'trusted_forwarder', comment: '' }] },
    ],
    answer: 'yes',
  },
  { behaviour: 'forged mail', streams: [OWN, FORGED], answer: 'yes' },
  {
    behaviour: 'forged mail with a broken signature of ours',
    streams: [OWN, { ...FORGED, ...signed('fail') }],
    answer: 'yes',
  },
  {
    behaviour: 'forged mail and a broken service',
    streams: [OWN, FORGED, ZENDESK],
    answer: 'no',
    senders: ['Zendesk'],
  },
  {
    behaviour: 'several services, all well',
    streams: [OWN, GOOGLE, OURS_AT_SENDGRID, { ...ZENDESK, ...passDkim('zendesk1') }],
    answer: 'yes',
  },
  {
    behaviour: 'several services, one of which signs half of its mail',
    streams: [
      { ...OWN, perDay: 20_000 },
      OURS_AT_SENDGRID,
      { ...ZENDESK, ...passDkim('zendesk1') },
      ZENDESK,
    ],
    answer: 'no',
    senders: ['Zendesk'],
  },
  {
    behaviour: 'an account of ours that signs, and another one that does not',
    streams: [OWN, OURS_AT_SENDGRID, SENDGRID('u999.ct.sendgrid.net', 50)],
    answer: 'not_enough',
    senders: ['SendGrid'],
  },
  {
    behaviour: 'the same, decided about the account',
    streams: [OWN, OURS_AT_SENDGRID, SENDGRID('u999.ct.sendgrid.net', 50)],
    answer: 'yes',
    decisions: [['sendgrid/u999.ct.sendgrid.net', 'not_ours']],
  },
  {
    behaviour: 'the same, decided to be ours',
    streams: [OWN, OURS_AT_SENDGRID, SENDGRID('u999.ct.sendgrid.net', 50)],
    answer: 'no',
    decisions: [['sendgrid/u999.ct.sendgrid.net', 'ours']],
  },
  {
    behaviour: 'our account that signs a part of its mail',
    streams: [OWN, OURS_AT_SENDGRID, SENDGRID('u123.ct.sendgrid.net', 50)],
    answer: 'no',
    senders: ['SendGrid'],
  },
  {
    behaviour: 'two accounts, none of which signs',
    streams: [OWN, SENDGRID('u123.ct.sendgrid.net', 50), SENDGRID('u456.ct.sendgrid.net', 9)],
    answer: 'no',
  },
  {
    behaviour: 'an account with our bounce domain, and its unsigned mail',
    streams: [
      OWN,
      {
        addresses: addresses('198.51.100.65', 3),
        perDay: 90,
        ...passSpf('em1.example.com'),
        ...passDkim('sg'),
      },
      { addresses: addresses('198.51.100.65', 3), perDay: 30, ...mfrom('', 'none') },
    ],
    answer: 'no',
  },
  {
    behaviour: 'a CRM that sends through SES with a bounce domain of its own, which SPF names',
    streams: [OWN, SES(40, mfrom('bounce.crm.example', 'pass'))],
    answer: 'no',
    records: {
      'example.com': {
        TXT: ['v=spf1 ip4:192.0.2.0/28 include:amazonses.com -all'],
        MX: [[10, 'mx.example.com']],
      },
    },
  },
  {
    behaviour: 'the same beside our own mail at SES',
    streams: [OWN, SES(60, passDkim('ses')), SES(40, { ...mfrom('bounce.crm.example', 'pass') })],
    answer: 'no',
    senders: ['Amazon SES'],
  },
  {
    behaviour: 'own servers with IPv6, all well',
    streams: [OWN, { ...OWN, addresses: ['2001:db8:1::25'] }],
    answer: 'yes',
  },
  {
    behaviour: 'an own server with IPv6 that fails',
    streams: [OWN, BROKEN('2001:db8:1::9', 2)],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'one server with many IPv6 addresses is one unit',
    streams: [
      OWN,
      {
        ...BROKEN('2001:db8:1::9', 4),
        addresses: ['2001:db8:1::9', '2001:db8:1::a', '2001:db8:1::b', '2001:db8:1::c'],
        days: [13, 0],
      },
    ],
    answer: 'no',
  },
  {
    behaviour: 'a second server beside one that SPF names, not in SPF',
    streams: [{ ...OWN, perDay: 900 }, BROKEN('192.0.2.99', 30)],
    answer: 'no',
  },
  {
    behaviour: 'many neighbours in a network that others rent addresses of',
    streams: [
      OWN,
      { addresses: addresses('192.0.2.100', 40), perDay: 400, ...mfrom('example.com', 'fail') },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'a domain of little mail',
    streams: [{ ...OWN, perDay: 3 }],
    answer: 'not_enough',
  },
  {
    behaviour: 'a reporter outside the table that invents a broken service',
    streams: [OWN, { ...ZENDESK, perDay: 900, reporter: 'odd.example' }],
    answer: 'not_enough',
  },
  {
    behaviour: 'a reporter outside the table that dilutes a broken service',
    streams: [OWN, ZENDESK, { ...OWN, perDay: 900_000, reporter: 'odd.example' }],
    answer: 'no',
    senders: ['Zendesk'],
  },
  {
    behaviour: 'a reporter outside the table that invents passes of another account',
    streams: [
      OWN,
      SENDGRID('u123.ct.sendgrid.net', 50),
      {
        ...SENDGRID('u7.ct.sendgrid.net', 50),
        ...passDkim('sg'),
        reporter: 'odd.example',
      },
    ],
    answer: 'no',
  },
  {
    behaviour: 'a reporter outside the table that invents the repair of a server',
    streams: [
      OWN,
      BROKEN('192.0.2.9', 50, [34, 20]),
      {
        ...OWN,
        addresses: ['192.0.2.9'],
        perDay: 50,
        days: [19, 0],
        reporter: 'odd.example',
      },
    ],
    answer: 'no',
  },
  {
    behaviour: 'reporters outside the table alone',
    streams: [{ ...OWN, reporter: 'odd.example' }],
    answer: 'not_enough',
  },
  {
    behaviour: 'a report that contradicts itself',
    streams: [OWN, { ...OWN, dkimPassed: true, ...signed('fail'), perDay: 5 }],
    answer: 'yes',
  },
  {
    behaviour: 'two accounts of ours at one service, both of which sign',
    streams: [
      OWN,
      OURS_AT_SENDGRID,
      { ...SENDGRID('u456.ct.sendgrid.net', 90), ...passDkim('sg2') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'another tenant of Microsoft that forges us with its own envelope',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:spf.protection.outlook.com -all', M365),
    streams: [
      OWN,
      { addresses: OUTLOOK, perDay: 300, ...passSpf(), ...passDkim('selector1') },
      { addresses: OUTLOOK, perDay: 900, ...mfrom('evil.example', 'pass') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'bounces from our tenant of Microsoft, without envelope and signature',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:spf.protection.outlook.com -all', M365),
    streams: [
      OWN,
      { addresses: OUTLOOK, perDay: 300, ...passSpf() },
      { addresses: OUTLOOK, perDay: 30, ...helo('mail-am6.outbound.protection.outlook.com') },
    ],
    answer: 'no',
    senders: ['Microsoft 365'],
  },
  {
    behaviour: 'a tenant of Microsoft that forwards our mail altered, with an envelope of its own',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:spf.protection.outlook.com -all', M365),
    streams: [
      OWN,
      { addresses: OUTLOOK, perDay: 300, ...passSpf(), ...passDkim('selector1') },
      {
        addresses: OUTLOOK,
        perDay: 50,
        ...mfrom('club.example', 'pass'),
        ...signed('fail', 'selector1'),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'our bounce domain at Mailgun, and another customer there',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:mailgun.org -all'),
    streams: [
      OWN,
      {
        addresses: addresses('198.51.100.225', 4),
        perDay: 100,
        ...passSpf('mg.example.com'),
        ...passDkim('pic'),
      },
      {
        addresses: addresses('198.51.100.225', 4),
        perDay: 50,
        ...mfrom('mg.evil.example', 'pass'),
      },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'a service that signs for one name in From and not for another',
    streams: [OWN, SES(60, passDkim('ses')), SES(9, { headerFrom: 'billing.example.com' })],
    answer: 'no',
    senders: ['Amazon SES'],
  },
  {
    behaviour: 'a service whose key was removed ten days ago',
    streams: [
      OWN,
      SES(60, { ...passDkim('ses'), days: [34, 10] }),
      SES(60, { ...signed('fail', 'ses'), days: [9, 0] }),
    ],
    answer: 'no',
    senders: ['Amazon SES'],
  },
  {
    behaviour: 'a service that is in no table, which SPF names and which does not sign',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:spf.crm.example -all', {
      'spf.crm.example': { TXT: ['v=spf1 ip4:203.0.113.40/29 -all'] },
    }),
    streams: [OWN, SERVICE(30)],
    answer: 'no',
    senders: ['spf.crm.example'],
  },
  {
    behaviour: 'a server that also sends over IPv6, which SPF does not name, and signs',
    streams: [
      OWN,
      { ...OWN, addresses: ['2001:db8:9::1'], spfPassed: false, ...mfrom('example.com', 'fail') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'the same, which signs half of its mail',
    streams: [
      OWN,
      { addresses: ['2001:db8:9::1'], perDay: 50, ...mfrom('example.com', 'fail'), ...passDkim() },
      { addresses: ['2001:db8:9::2'], perDay: 50, ...mfrom('example.com', 'fail') },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'a broken server of ours in a range that another term includes',
    records: spf('v=spf1 ip4:192.0.2.0/28 ip4:198.51.100.200 include:amazonses.com -all'),
    streams: [OWN, { ...SES(30_000, passDkim('ses')) }, BROKEN('198.51.100.200', 20)],
    answer: 'no',
  },
  {
    behaviour: 'neighbours in the ranges of a cloud that SPF includes',
    records: spf('v=spf1 include:_cloud-netblocks.googleusercontent.com -all', {
      '_cloud-netblocks.googleusercontent.com': { TXT: ['v=spf1 ip4:203.0.113.0/25 ?all'] },
    }),
    streams: [
      { ...OWN, addresses: ['203.0.113.5'] },
      { addresses: addresses('203.0.113.60', 30), perDay: 900, ...mfrom('evil.example', 'pass') },
    ],
    answer: 'no',
  },
  {
    behaviour: 'a scanner in the office that sends under another name',
    records: spf('v=spf1 ip4:192.0.2.0/28 ip4:203.0.113.77 -all'),
    streams: [
      OWN,
      { ...OWN, addresses: ['203.0.113.77'] },
      { ...BROKEN('203.0.113.77', 2), headerFrom: 'scan.example.com' },
    ],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a broken server behind a redirect',
    records: spf('v=spf1 redirect=_spf.example.com', {
      '_spf.example.com': { TXT: ['v=spf1 ip4:192.0.2.0/28 -all'] },
    }),
    streams: [OWN, BROKEN('192.0.2.9', 20)],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a redirect to a provider, all well',
    records: spf('v=spf1 redirect=_spf.hoster.example', {
      '_spf.hoster.example': { TXT: ['v=spf1 ip4:192.0.2.0/28 -all'] },
    }),
    streams: [OWN],
    answer: 'yes',
  },
  {
    behaviour: 'a broken server beside the host of an a term',
    records: spf('v=spf1 a:mail.example.com/28 -all', { 'mail.example.com': { A: ['192.0.2.1'] } }),
    streams: [OWN, BROKEN('192.0.2.9', 20)],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'an exists term, all well',
    records: spf('v=spf1 exists:%{i}._spf.example.com -all'),
    streams: [OWN],
    answer: 'yes',
  },
  {
    behaviour: 'an exists term, and mail of a server with another envelope',
    records: spf('v=spf1 exists:%{i}._spf.example.com -all'),
    streams: [{ ...OWN, perDay: 100 }, BROKEN('192.0.2.1', 20)],
    answer: 'no',
  },
  {
    behaviour: 'a macro of an SPF service',
    records: spf('v=spf1 include:%{ir}._ip.%{h}._ehlo.%{d}._spf.vali.example -all'),
    streams: [OWN, { ...GOOGLE, dkimPassed: false, dkim: [] }],
    answer: 'yes',
  },
  {
    behaviour: 'no SPF record, and all mail signed',
    records: { 'example.com': { TXT: ['hello'], MX } },
    streams: [{ ...OWN, spfPassed: false, ...mfrom('example.com', 'none') }],
    answer: 'yes',
  },
  {
    behaviour: 'an SPF record with too many lookups, and all mail signed',
    records: spf(
      'v=spf1 a a:1.x.example a:2.x.example a:3.x.example a:4.x.example a:5.x.example a:6.x.example a:7.x.example a:8.x.example a:9.x.example a:10.x.example ip4:192.0.2.1 -all',
    ),
    streams: [{ ...OWN, spfPassed: false, ...mfrom('example.com', 'permerror') }],
    answer: 'yes',
  },
  {
    behaviour: 'an SPF record with too many lookups, and nothing signed',
    records: spf(
      'v=spf1 a a:1.x.example a:2.x.example a:3.x.example a:4.x.example a:5.x.example a:6.x.example a:7.x.example a:8.x.example a:9.x.example a:10.x.example ip4:192.0.2.1 -all',
    ),
    streams: [
      {
        ...OWN,
        spfPassed: false,
        ...mfrom('example.com', 'permerror'),
        dkimPassed: false,
        dkim: [],
      },
    ],
    answer: 'no',
  },
  {
    behaviour: 'a failing subdomain that publishes a policy of its own',
    streams: [OWN, { ...BROKEN('203.0.113.200', 12), headerFrom: 'shop.example.com' }],
    answer: 'yes',
    records: {
      'shop.example.com': { TXT: ['v=spf1 ip4:203.0.113.200 -all'] },
      '_dmarc.shop.example.com': { TXT: ['v=DMARC1; p=none'] },
    },
  },
  {
    behaviour: 'a failing subdomain under sp=none',
    records: dmarc('v=DMARC1; p=none; sp=none; rua=mailto:d@example.com'),
    streams: [OWN, { ...BROKEN('203.0.113.200', 12), headerFrom: 'shop.example.com' }],
    answer: 'yes',
  },
  {
    behaviour: 'a failing subdomain, asked about sp',
    asked: 'sp=reject',
    streams: [
      OWN,
      { ...OWN, headerFrom: 'shop.example.com', perDay: 100, ...passSpf('shop.example.com') },
      { ...BROKEN('203.0.113.200', 12), headerFrom: 'shop.example.com' },
    ],
    answer: 'no',
  },
  {
    behaviour: 'a failing service of the domain itself, asked about sp',
    asked: 'sp=reject',
    streams: [OWN, ZENDESK, { ...OWN, headerFrom: 'news.example.com', perDay: 100 }],
    answer: 'yes',
  },
  {
    behaviour: 'signed mail of a name that does not exist, asked about np',
    asked: 'np=reject',
    streams: [OWN, { ...OWN, headerFrom: 'gone.example.com', perDay: 20 }],
    answer: 'no',
  },
  {
    behaviour: 'forged names that do not exist, asked about np',
    asked: 'np=reject',
    streams: [OWN, { ...FORGED, headerFrom: 'gone.example.com' }],
    answer: 'yes',
  },
  {
    behaviour: 'failing mail of another domain',
    streams: [OWN, { ...BROKEN('192.0.2.9', 20), headerFrom: 'other.example' }],
    answer: 'yes',
  },
  {
    behaviour: 'forged subdomains that send nothing, asked about sp',
    asked: 'sp=reject',
    streams: [OWN, { ...FORGED, headerFrom: 'news.example.com' }],
    answer: 'not_enough',
  },
  {
    behaviour: 'a bounce domain that aspf=s does not accept',
    records: dmarc('v=DMARC1; p=none; aspf=s; adkim=s; rua=mailto:d@example.com'),
    streams: [
      OWN,
      { addresses: ['192.0.2.2'], perDay: 30, ...mfrom('bounce.example.com', 'pass') },
    ],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a signature of a subdomain that adkim=s does not accept',
    records: dmarc('v=DMARC1; p=none; adkim=s; rua=mailto:d@example.com'),
    streams: [OWN, SES(40, signed('pass', 'ses', 'mail.example.com'))],
    answer: 'no',
  },
  {
    behaviour: 'p=quarantine with pct, all well',
    records: dmarc('v=DMARC1; p=quarantine; pct=20; rua=mailto:d@example.com'),
    streams: [OWN, GOOGLE],
    answer: 'yes',
  },
  {
    behaviour: 'a policy under test, all well',
    records: dmarc('v=DMARC1; p=reject; t=y; rua=mailto:d@example.com'),
    streams: [OWN, GOOGLE],
    answer: 'yes',
  },
  {
    behaviour: 'a forwarder with its own envelope',
    streams: [OWN, { ...FORWARDED, ...mfrom('fwd.example', 'pass') }],
    answer: 'yes',
  },
  {
    behaviour: 'the same, which breaks half of the signatures',
    streams: [
      OWN,
      { ...FORWARDED, ...mfrom('fwd.example', 'pass') },
      { ...FORWARDED, dkimPassed: false, ...mfrom('fwd.example', 'pass'), ...signed('fail') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'users of Gmail that forward our mail, and break half of the signatures',
    streams: [
      OWN,
      GOOGLE,
      {
        addresses: addresses('198.51.100.20', 4),
        perDay: 60,
        ...mfrom('gmail.com', 'pass'),
        ...passDkim('google'),
      },
      {
        addresses: addresses('198.51.100.20', 4),
        perDay: 60,
        ...mfrom('gmail.com', 'pass'),
        ...signed('fail', 'google'),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'Google, which is not ours, forwards our mail and forged mail from one address',
    records: spf('v=spf1 ip4:192.0.2.0/28 -all'),
    streams: [
      OWN,
      { addresses: ['198.51.100.20'], perDay: 60, ...mfrom('example.com', 'fail'), ...passDkim() },
      { addresses: ['198.51.100.20'], perDay: 60, ...mfrom('example.com', 'fail') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a forwarder of our mail that is not signed',
    streams: [
      { ...OWN, dkimPassed: false, dkim: [] },
      { addresses: ['203.0.113.9'], perDay: 20, ...mfrom('example.com', 'fail') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a customer of Google that forwards our unsigned mail',
    streams: [
      { ...OWN, dkimPassed: false, dkim: [] },
      GOOGLE,
      { addresses: addresses('198.51.100.20', 4), perDay: 60, ...mfrom('club.example', 'pass') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a group of others at Google',
    streams: [
      OWN,
      GOOGLE,
      {
        addresses: addresses('198.51.100.10', 4),
        perDay: 60,
        ...mfrom('googlegroups.com', 'pass'),
        ...signed('fail', 'google'),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a mailing list at a service that is not ours',
    streams: [OWN, SES(40, { ...mfrom('groups.example', 'pass'), ...signed('fail') })],
    answer: 'yes',
  },
  {
    behaviour: 'a mailing list that puts its own name in From',
    streams: [OWN, { ...LIST, headerFrom: 'lists.example' }],
    answer: 'yes',
  },
  {
    behaviour: 'a mailing list at a service where our mail is signed',
    streams: [
      OWN,
      SES(60, passDkim('ses')),
      SES(40, { ...mfrom('groups.example', 'pass'), ...signed('fail') }),
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a mailing list and ARC in the network of our servers',
    streams: [OWN, { ...LIST, addresses: ['192.0.2.200'] }, { ...ARC, addresses: ['192.0.2.201'] }],
    answer: 'yes',
  },
  {
    behaviour: 'an outbound gateway that breaks our signature, and that SPF names',
    records: spf('v=spf1 include:spf-00123.pphosted.com -all', {
      'spf-00123.pphosted.com': { TXT: ['v=spf1 ip4:203.0.113.160/29 -all'] },
    }),
    streams: [
      { addresses: addresses('203.0.113.161', 3), perDay: 500, ...passSpf(), ...signed('fail') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'recipients behind a gateway that breaks our signature',
    records: { 'eu._netblocks.mimecast.com': { TXT: ['v=spf1 ip4:203.0.113.168/29 -all'] } },
    streams: [
      OWN,
      {
        addresses: addresses('203.0.113.169', 3),
        perDay: 50,
        ...mfrom('example.com', 'fail'),
        ...signed('fail'),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a gateway that an a term names, and another customer of it',
    records: spf('v=spf1 ip4:192.0.2.0/28 a:dispatch-eu.ppe-hosted.com -all', {
      'dispatch-eu.ppe-hosted.com': { A: ['203.0.113.170'] },
    }),
    streams: [
      OWN,
      { ...OWN, addresses: ['203.0.113.170'] },
      { addresses: ['203.0.113.170'], perDay: 90, ...mfrom('club.example', 'pass') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'the same, which sends our signature on, broken',
    records: spf('v=spf1 ip4:192.0.2.0/28 a:dispatch-eu.ppe-hosted.com -all', {
      'dispatch-eu.ppe-hosted.com': { A: ['203.0.113.170'] },
    }),
    streams: [
      OWN,
      { ...OWN, addresses: ['203.0.113.170'] },
      {
        addresses: ['203.0.113.170'],
        perDay: 90,
        ...mfrom('club.example', 'pass'),
        ...signed('fail'),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a seasonal service that lost little 80 days ago',
    streams: [OWN, { ...ZENDESK, perDay: 2, days: [85, 80] }],
    period: 90,
    answer: 'yes',
  },
  {
    behaviour: 'a seasonal service that passed 60 days ago and fails now',
    streams: [
      OWN,
      { ...ZENDESK, ...passDkim('zendesk1'), days: [64, 60] },
      { ...ZENDESK, perDay: 30, days: [4, 3] },
    ],
    period: 90,
    answer: 'no',
  },
  {
    behaviour: 'a server that was repaired and broke again',
    streams: [
      OWN,
      BROKEN('192.0.2.9', 50, [34, 25]),
      { ...OWN, addresses: ['192.0.2.9'], perDay: 50, days: [24, 3] },
      BROKEN('192.0.2.9', 20, [2, 0]),
    ],
    answer: 'no',
  },
  {
    behaviour: 'a server that was repaired exactly 14 days ago',
    streams: [
      OWN,
      BROKEN('192.0.2.9', 50, [34, 14]),
      { ...OWN, addresses: ['192.0.2.9'], perDay: 10, days: [13, 0] },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a broken server that was replaced by another one',
    streams: [
      OWN,
      BROKEN('192.0.2.9', 50, [34, 20]),
      { ...OWN, addresses: ['192.0.2.10'], perDay: 50, days: [19, 0] },
    ],
    answer: 'no',
  },
  {
    behaviour: 'a service that signs since 20 days',
    streams: [
      OWN,
      { ...ZENDESK, days: [34, 21] },
      { ...ZENDESK, ...passDkim('zendesk1'), days: [20, 0] },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a provider that was left 20 days ago, and is no longer in SPF',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:spf.protection.outlook.com -all', M365),
    streams: [
      OWN,
      { ...GOOGLE, dkimPassed: false, dkim: [], days: [34, 20] },
      { addresses: OUTLOOK, perDay: 500, ...passSpf(), days: [19, 0] },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a provider that was removed from SPF by mistake',
    records: spf('v=spf1 ip4:192.0.2.0/28 -all'),
    streams: [OWN, { ...GOOGLE, dkimPassed: false, dkim: [] }],
    answer: 'no',
  },
  {
    behaviour: 'a domain that moves from a provider to another one',
    records: spf(
      'v=spf1 ip4:192.0.2.0/28 include:_spf.google.com include:spf.protection.outlook.com -all',
      M365,
    ),
    streams: [
      OWN,
      { ...GOOGLE, days: [34, 0] },
      { addresses: OUTLOOK, perDay: 500, ...passSpf(), days: [9, 0] },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'our broken signature under another account of our service',
    streams: [
      OWN,
      OURS_AT_SENDGRID,
      { ...SENDGRID('u777.ct.sendgrid.net', 3_000), ...signed('fail') },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'another organization with one address in the network of our servers',
    streams: [OWN, { addresses: ['192.0.2.201'], perDay: 400, ...mfrom('evil.example', 'pass') }],
    answer: 'not_enough',
  },
  {
    behaviour: 'a signed message that a forger sends again and again',
    streams: [
      OWN,
      {
        addresses: addresses('203.0.113.100', 60),
        perDay: 6_000,
        ...mfrom('evil.example', 'pass'),
        ...passDkim(),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'the same, beside forged mail from the same addresses',
    streams: [
      OWN,
      {
        addresses: addresses('203.0.113.100', 60),
        perDay: 60,
        ...mfrom('evil.example', 'pass'),
        ...passDkim(),
      },
      {
        addresses: addresses('203.0.113.100', 60),
        perDay: 6_000,
        ...mfrom('evil.example', 'pass'),
      },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'a reporter outside the table that invents passes of a forger',
    streams: [OWN, FORGED, { ...FORGED, ...passSpf(), perDay: 60, reporter: 'odd.example' }],
    answer: 'not_enough',
  },
  {
    behaviour: 'a reporter outside the table that invents failures of a healthy server',
    streams: [OWN, { ...BROKEN('192.0.2.1', 9_000), reporter: 'odd.example' }],
    answer: 'not_enough',
  },
  {
    behaviour: 'a broken service that all reporters see',
    streams: [
      OWN,
      { ...OWN, reporter: 'odd.example' },
      ZENDESK,
      { ...ZENDESK, reporter: 'odd.example' },
    ],
    answer: 'no',
    senders: ['Zendesk'],
  },
  {
    behaviour: 'a reporter outside the table that invents the repair of a service',
    streams: [
      OWN,
      { ...ZENDESK, days: [34, 20] },
      { ...ZENDESK, perDay: 900, ...passDkim('zendesk1'), days: [19, 0], reporter: 'odd.example' },
    ],
    answer: 'no',
  },
  {
    behaviour: 'a domain that sends nothing',
    records: { 'example.com': { TXT: ['v=spf1 -all'], MX: [[0, '.']] } },
    streams: [FORGED],
    answer: 'yes',
  },
  {
    behaviour: 'a domain that seems to send nothing, and of which a service signs a little',
    records: { 'example.com': { TXT: ['v=spf1 -all'], MX: [[0, '.']] } },
    streams: [SES(1, passDkim('ses')), FORGED],
    answer: 'not_enough',
  },
  {
    behaviour: 'a domain without records and without mail',
    records: { 'example.com': { TXT: ['x'], MX } },
    streams: [FORGED],
    answer: 'not_enough',
  },
  { behaviour: 'eight messages a day', streams: [{ ...OWN, perDay: 8 }], answer: 'not_enough' },
  { behaviour: 'nine messages a day', streams: [{ ...OWN, perDay: 9 }], answer: 'yes' },
  {
    behaviour: 'a service that is not ours, and an account of it that is',
    streams: [
      OWN,
      OURS_AT_SENDGRID,
      SENDGRID('u999.ct.sendgrid.net', 50),
      SENDGRID('u666.ct.sendgrid.net', 50),
    ],
    decisions: [
      ['sendgrid', 'not_ours'],
      ['sendgrid/u999.ct.sendgrid.net', 'ours'],
    ],
    answer: 'no',
    senders: ['SendGrid'],
  },
  {
    behaviour: 'a service that is decided to be a forwarder',
    streams: [OWN, ZENDESK],
    decisions: [['zendesk', 'expected_forwarder']],
    answer: 'yes',
  },
  {
    behaviour: 'own servers that are decided not to be ours',
    streams: [OWN, BROKEN('192.0.2.9', 50)],
    decisions: [['own servers', 'not_ours']],
    answer: 'yes',
  },
  {
    behaviour: 'a network that is decided to be ours',
    streams: [OWN, SERVICE(30)],
    decisions: [['203.0.113.0/24', 'ours']],
    answer: 'no',
  },
  {
    behaviour: 'a service whose broken signatures are decided not to be ours',
    streams: [OWN, SES(60, passDkim('ses')), SES(30, signed('fail', 'ses'))],
    decisions: [['amazon ses', 'not_ours']],
    answer: 'yes',
  },
  {
    behaviour: 'bounces of our server, with its own name in HELO',
    streams: [OWN, { ...OWN, perDay: 50, dkimPassed: false, dkim: [], ...helo('mx.example.com') }],
    answer: 'yes',
  },
  {
    behaviour: 'an own server that uses the envelope of a sister brand',
    streams: [OWN, { addresses: ['192.0.2.3'], perDay: 20, ...mfrom('brand.example', 'pass') }],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a new server that has failed for three days',
    streams: [OWN, BROKEN('192.0.2.9', 10, [2, 0])],
    answer: 'no',
  },
  {
    behaviour: 'a day without DNS, at a server that SPF names',
    streams: [
      OWN,
      {
        addresses: ['192.0.2.1'],
        perDay: 1000,
        ...mfrom('example.com', 'temperror'),
        ...signed('temperror'),
        days: [5, 5],
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a server with broken signatures that passes SPF, and its mail forwarded',
    streams: [
      { ...OWN, dkimPassed: false, ...signed('fail') },
      { ...FORWARDED, dkimPassed: false, ...signed('fail') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a domain of little mail with a broken service, in a flood',
    streams: [{ ...OWN, perDay: 20 }, { ...ZENDESK, perDay: 1 }, FORGED],
    answer: 'no',
    senders: ['Zendesk'],
  },
  {
    behaviour: 'an own server whose mail a receiver calls forwarded',
    streams: [OWN, { ...BROKEN('192.0.2.9', 30), reasons: [{ type: 'forwarded', comment: '' }] }],
    answer: 'no',
  },
  {
    behaviour: 'users of outlook.com that forward our mail, which is not signed',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:spf.protection.outlook.com -all', M365),
    streams: [
      UNSIGNED,
      { addresses: OUTLOOK, perDay: 300, ...passSpf() },
      { addresses: OUTLOOK, perDay: 60, ...mfrom('outlook.com', 'pass') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a tenant of Microsoft that forwards our mail as its onmicrosoft.com name',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:spf.protection.outlook.com -all', M365),
    streams: [
      UNSIGNED,
      { addresses: OUTLOOK, perDay: 300, ...passSpf() },
      { addresses: OUTLOOK, perDay: 60, ...mfrom('club.onmicrosoft.com', 'pass') },
    ],
    answer: 'not_enough',
    senders: ['Microsoft 365'],
  },
  {
    behaviour: 'a mailing list of our own server that breaks signatures',
    streams: [
      OWN,
      {
        ...OWN,
        perDay: 50,
        dkimPassed: false,
        ...passSpf('lists.example.com'),
        ...signed('fail'),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a failing service of the domain itself under p=reject, asked about sp',
    asked: 'sp=reject',
    records: dmarc('v=DMARC1; p=reject; sp=none; rua=mailto:d@example.com'),
    streams: [OWN, ZENDESK, { ...OWN, headerFrom: 'news.example.com', perDay: 100 }],
    answer: 'yes',
  },
  {
    behaviour: 'a printer with a name that does not exist, asked about np',
    asked: 'np=quarantine',
    streams: [OWN, { ...BROKEN('192.0.2.9', 3), headerFrom: 'printer7.example.com' }],
    answer: 'no',
  },
  {
    behaviour: 'a failing server of a name three levels down',
    streams: [OWN, { ...BROKEN('192.0.2.9', 3), headerFrom: 'a.b.news.example.com' }],
    answer: 'no',
  },
  {
    behaviour: 'a yearly campaign 80 days ago, of which a service signed 60%',
    streams: [OWN, SES(60, { ...passDkim('ses'), days: [80, 78] }), SES(40, { days: [80, 78] })],
    period: 90,
    answer: 'no',
    senders: ['Amazon SES'],
  },
  {
    behaviour: 'the same, of which it signed 90%',
    streams: [OWN, SES(900, { ...passDkim('ses'), days: [80, 78] }), SES(100, { days: [80, 78] })],
    period: 90,
    answer: 'yes',
  },
  {
    behaviour: 'a server in no SPF record that failed 60 days ago, decided to be ours',
    streams: [OWN, BROKEN('203.0.113.70', 40, [70, 60])],
    period: 90,
    decisions: [['203.0.113.0/24/203.0.113.70', 'ours']],
    answer: 'no',
  },
  {
    behaviour: 'an own server that failed 60 days ago, decided to be of others',
    streams: [OWN, BROKEN('192.0.2.9', 20, [70, 60])],
    period: 90,
    decisions: [['own servers/192.0.2.9', 'not_ours']],
    answer: 'yes',
  },
  {
    behaviour: 'many neighbours that forge our signature in a network where others rent addresses',
    streams: [
      OWN,
      {
        addresses: addresses('192.0.2.100', 40),
        perDay: 400,
        ...mfrom('example.com', 'fail'),
        ...signed('fail'),
      },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'one neighbour of our servers that breaks our signature',
    streams: [
      OWN,
      { ...BROKEN('192.0.2.99', 30), ...mfrom('example.com', 'fail'), ...signed('fail') },
    ],
    answer: 'no',
  },
  {
    behaviour: 'an IPv6 server that moved to another /64 of our /48, and does not sign',
    streams: [
      OWN,
      { ...OWN, addresses: ['2001:db8:1::25'], days: [34, 20] },
      {
        addresses: ['2001:db8:1:5::25'],
        perDay: 100,
        ...mfrom('example.com', 'fail'),
        days: [19, 0],
      },
    ],
    answer: 'no',
  },
  {
    behaviour: 'an IPv6 server that was repaired and moved inside its /64',
    streams: [
      OWN,
      BROKEN('2001:db8:1::9', 50, [34, 20]),
      { ...OWN, addresses: ['2001:db8:1::77'], perDay: 50, days: [19, 0] },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a key that was rotated in the middle of the period',
    streams: [
      { ...OWN, ...passSpf(), days: [34, 18] },
      { ...OWN, ...passDkim('s2'), days: [17, 0] },
      SES(60, { ...passDkim('ses'), days: [34, 18] }),
      SES(60, { ...signed('fail', 'ses'), days: [17, 17] }),
      SES(60, { ...passDkim('ses2'), days: [16, 0] }),
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a service that SPF names and that signs as itself',
    streams: [OWN, { ...ZENDESK, ...signed('pass', 'z', 'zendesk.com') }],
    answer: 'no',
    senders: ['Zendesk'],
  },
  {
    behaviour: 'an outbound gateway that sends bounces with its own name in HELO',
    records: spf('v=spf1 include:spf-00123.pphosted.com -all', {
      'spf-00123.pphosted.com': { TXT: ['v=spf1 ip4:203.0.113.160/29 -all'] },
    }),
    streams: [
      { addresses: addresses('203.0.113.161', 3), perDay: 500, ...passSpf() },
      { addresses: addresses('203.0.113.161', 3), perDay: 30, ...helo('mx0a-00123.pphosted.com') },
    ],
    answer: 'no',
    senders: ['Proofpoint'],
  },
  {
    behaviour: 'a web server that SPF names, and the forgeries of a neighbour on it',
    records: spf('v=spf1 ip4:192.0.2.0/28 a:web.example.com -all', {
      'web.example.com': { A: ['203.0.113.77'] },
    }),
    streams: [
      OWN,
      { ...OWN, addresses: ['203.0.113.77'], perDay: 50 },
      { addresses: ['203.0.113.77'], perDay: 50, ...mfrom('neighbour.example', 'pass') },
    ],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'another account at Salesforce beside ours',
    streams: [
      OWN,
      SERVICE(60, { ...mfrom('abc.bnc.salesforce.com', 'pass'), ...passDkim('sf1') }),
      SERVICE(30, mfrom('zzz.bnc.salesforce.com', 'pass')),
    ],
    answer: 'not_enough',
    senders: ['Salesforce'],
  },
  {
    behaviour: 'a mistyped term in SPF, and a server in another term of it that does not sign',
    records: spf('v=spf1 ip4:192.0.2.0/28 ipv4:203.0.113.5 -all'),
    streams: [
      { ...OWN, spfPassed: false, ...mfrom('example.com', 'permerror') },
      { addresses: ['192.0.2.9'], perDay: 30, ...mfrom('example.com', 'permerror') },
    ],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a mistyped term in SPF, and all mail signed',
    records: spf('v=spf1 ip4:192.0.2.0/28 ipv4:203.0.113.5 -all'),
    streams: [{ ...OWN, spfPassed: false, ...mfrom('example.com', 'permerror') }],
    answer: 'yes',
  },
  {
    behaviour: 'a reporter of the table that says pass and lists another domain',
    streams: [
      OWN,
      {
        addresses: ['100.80.0.1'],
        perDay: 60,
        spfPassed: true,
        ...mfrom('bounce.other.example', 'pass'),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'adkim=s since today, and mail signed as a subdomain',
    records: dmarc('v=DMARC1; p=none; adkim=s; rua=mailto:d@example.com'),
    streams: [OWN, SES(40, { ...signed('pass', 'ses', 'mail.example.com'), dkimPassed: true })],
    answer: 'no',
    senders: ['Amazon SES'],
  },
  {
    behaviour: 'aspf=s since today, and bounces of a subdomain',
    records: dmarc('v=DMARC1; p=none; aspf=s; rua=mailto:d@example.com'),
    streams: [OWN, { ...passSpf('bounce.example.com'), addresses: ['192.0.2.2'], perDay: 30 }],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a broken server that only Yahoo reports',
    streams: [
      { ...OWN, perDay: 100 },
      { ...BROKEN('192.0.2.9', 40), reporter: 'yahooinc.com' },
    ],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'p=reject in force, and a broken server',
    records: dmarc('v=DMARC1; p=reject; rua=mailto:d@example.com'),
    streams: [OWN, BROKEN('192.0.2.9', 20)],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'exactly 19 messages of a server are lost',
    streams: [{ ...OWN, perDay: 9_000 }, BROKEN('192.0.2.9', 1, [18, 0])],
    answer: 'yes',
  },
  {
    behaviour: 'exactly 20 messages of a server are lost',
    streams: [{ ...OWN, perDay: 9_000 }, BROKEN('192.0.2.9', 1, [19, 0])],
    answer: 'no',
  },
  {
    behaviour: 'exactly a quarter of the mail of a server is lost',
    streams: [
      { ...OWN, perDay: 9_000 },
      { ...OWN, addresses: ['192.0.2.9'], perDay: 9 },
      BROKEN('192.0.2.9', 3),
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a forwarder that is decided, and another address of its network',
    streams: [
      OWN,
      FORWARDED,
      { ...FORWARDED, dkimPassed: false, dkim: [] },
      { ...FORWARDED, addresses: ['203.0.113.8'] },
      { ...FORWARDED, addresses: ['203.0.113.8'], dkimPassed: false, dkim: [] },
    ],
    decisions: [['203.0.113.0/24/203.0.113.9', 'expected_forwarder']],
    answer: 'not_enough',
  },
  {
    behaviour: 'own servers that are decided not to be ours, but for one',
    streams: [OWN, BROKEN('192.0.2.9', 20), BROKEN('192.0.2.8', 20)],
    decisions: [
      ['own servers', 'not_ours'],
      ['own servers/192.0.2.8', 'ours'],
    ],
    answer: 'no',
  },
  {
    behaviour: 'a wildcard SPF record, and a broken server with a name of its own',
    records: { '*.example.com': { TXT: ['v=spf1 ip4:192.0.2.0/28 -all'] } },
    streams: [OWN, { ...BROKEN('192.0.2.9', 3), headerFrom: 'x.example.com' }],
    answer: 'no',
  },
  {
    behaviour: 'a forger with the bounce domain of a service that signs for us',
    streams: [
      OWN,
      SERVICE(60, passDkim('crm')),
      { ...FORGED, ...mfrom('bounce.mailer.example', 'pass') },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'a server that SPF lists with ?, and that does not sign',
    records: spf('v=spf1 ip4:192.0.2.0/28 ?ip4:203.0.113.70 -all'),
    streams: [OWN, BROKEN('203.0.113.70', 30)],
    answer: 'not_enough',
    senders: ['203.0.113.0/24'],
  },
  {
    behaviour: 'the same beside our servers, and inside of a range that SPF lists',
    records: spf('v=spf1 ?ip4:192.0.2.9 ip4:192.0.2.0/28 ?ip4:192.0.2.70 -all'),
    streams: [OWN, BROKEN('192.0.2.9', 30), BROKEN('192.0.2.70', 30)],
    answer: 'not_enough',
    senders: ['192.0.2.0/24'],
  },
  {
    behaviour: 'the same, which signs',
    records: spf('v=spf1 ip4:192.0.2.0/28 ?ip4:203.0.113.70 -all'),
    streams: [OWN, { ...BROKEN('203.0.113.70', 30), ...passDkim() }],
    answer: 'yes',
  },
  {
    behaviour: 'servers from whose term + was changed to ?',
    records: spf('v=spf1 ?ip4:192.0.2.0/28 -all'),
    streams: [UNSIGNED],
    answer: 'no',
  },
  {
    behaviour: 'a service that SPF includes with ?, and that does not sign',
    records: spf('v=spf1 ip4:192.0.2.0/28 ?include:mail.zendesk.com -all'),
    streams: [OWN, ZENDESK],
    answer: 'not_enough',
    senders: ['Zendesk'],
  },
  {
    behaviour: 'mailboxes that SPF includes with ?, and another customer of them',
    records: spf('v=spf1 ip4:192.0.2.0/28 ?include:_spf.google.com -all'),
    streams: [
      OWN,
      { addresses: addresses('198.51.100.10', 4), perDay: 60, ...mfrom('club.example', 'pass') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'an own MX host that does not sign, without an SPF record',
    records: { 'example.com': { TXT: ['hello'], MX }, ...MX_HOST },
    streams: [
      { ...OWN, spfPassed: false, ...mfrom('example.com', 'none') },
      BROKEN('203.0.113.25', 30),
    ],
    answer: 'not_enough',
    senders: ['203.0.113.0/24'],
  },
  {
    behaviour: 'an own MX host that SPF does not name, and that breaks our signature',
    records: spf('v=spf1 ip4:192.0.2.0/28 -all', MX_HOST),
    streams: [OWN, { ...BROKEN('203.0.113.25', 30), ...signed('fail') }],
    answer: 'not_enough',
    senders: ['203.0.113.0/24'],
  },
  {
    behaviour: 'an own MX host that forwards to a mailing list',
    records: spf('v=spf1 ip4:192.0.2.0/28 -all', MX_HOST),
    streams: [OWN, { ...LIST, addresses: ['203.0.113.25'] }],
    answer: 'yes',
  },
  {
    behaviour: 'forged mail from the MX host of a hoster',
    records: {
      'example.com': { TXT: ['v=spf1 ip4:192.0.2.0/28 -all'], MX: [[10, 'mx.hoster.example']] },
      'mx.hoster.example': { A: ['203.0.113.25'] },
    },
    streams: [OWN, BROKEN('203.0.113.25', 30)],
    answer: 'yes',
  },
  {
    behaviour: 'a server that only the second of two SPF records names',
    records: TWO_RECORDS,
    streams: [
      { ...OWN, spfPassed: false, ...mfrom('example.com', 'permerror') },
      BROKEN('203.0.113.70', 30),
    ],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a service that only the second of two SPF records names',
    records: TWO_RECORDS,
    streams: [{ ...OWN, spfPassed: false, ...mfrom('example.com', 'permerror') }, ZENDESK],
    answer: 'no',
    senders: ['Zendesk'],
  },
  {
    behaviour: 'two SPF records, and all mail signed',
    records: TWO_RECORDS,
    streams: [{ ...OWN, spfPassed: false, ...mfrom('example.com', 'permerror') }],
    answer: 'yes',
  },
  {
    behaviour: 'forged mail from the network of a server that only a subdomain names in SPF',
    streams: [FORGED, OWN, { ...BROKEN('203.0.113.200', 12), headerFrom: 'shop.example.com' }],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a web server that passes by its name in HELO, and fails with our envelope',
    records: spf('v=spf1 ip4:192.0.2.0/28 -all', {
      'web.example.com': { TXT: ['v=spf1 ip4:203.0.113.80 -all'], A: ['203.0.113.80'] },
    }),
    streams: [
      OWN,
      { addresses: ['203.0.113.80'], perDay: 30, spfPassed: true, ...helo('web.example.com') },
      { addresses: ['203.0.113.80'], perDay: 30, ...mfrom('example.com', 'fail') },
    ],
    answer: 'no',
    senders: ['203.0.113.0/24'],
  },
  {
    behaviour:
      'a printer with a name that does not exist, and np=none, which RFC 7489 does not know',
    records: dmarc('v=DMARC1; p=none; np=none; rua=mailto:d@example.com'),
    streams: [OWN, PRINTER],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a broken server beside a large one in an include of our own',
    records: OWN_INCLUDE,
    streams: [{ ...OWN, perDay: 9_000 }, BROKEN('192.0.2.2', 1)],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'a printer with a name that does not exist, and np=none, asked about sp',
    asked: 'sp=reject',
    records: dmarc('v=DMARC1; p=none; np=none; rua=mailto:d@example.com'),
    streams: [{ ...OWN, headerFrom: 'news.example.com' }, PRINTER],
    answer: 'no',
  },
  {
    behaviour: 'a printer with a name that does not exist, under sp=none and np=none',
    records: dmarc('v=DMARC1; p=none; sp=none; np=none; rua=mailto:d@example.com'),
    streams: [OWN, PRINTER],
    answer: 'yes',
  },
  {
    behaviour: 'adkim=s until a week ago, and mail signed as a subdomain',
    streams: [
      OWN,
      SES(40, { ...signed('pass', 'ses', 'mail.example.com'), days: [34, 8] }),
      SES(40, { ...signed('pass', 'ses', 'mail.example.com'), dkimPassed: true, days: [7, 0] }),
    ],
    answer: 'yes',
  },
  {
    behaviour: 'aspf=s until a week ago, and bounces of a subdomain',
    streams: [
      OWN,
      { ...UNALIGNED, days: [34, 8] },
      { ...UNALIGNED, spfPassed: true, days: [7, 0] },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'adkim=s, and mail of a subdomain signed as the domain',
    records: dmarc('v=DMARC1; p=none; adkim=s; rua=mailto:d@example.com'),
    streams: [OWN, SES(40, { ...signed('pass', 'ses'), headerFrom: 'news.example.com' })],
    answer: 'no',
    senders: ['Amazon SES'],
  },
  {
    behaviour: 'an SPF record with three names that do not exist, and nothing signed',
    records: spf('v=spf1 a:gone1.example a:gone2.example a:gone3.example ip4:192.0.2.0/28 -all'),
    streams: [{ ...UNSIGNED, spfPassed: false, ...mfrom('example.com', 'permerror') }],
    answer: 'no',
  },
  {
    behaviour: 'a service with its own bounce domain that breaks 40% of its signatures',
    streams: [OWN, SERVICE(60, passDkim('crm')), SERVICE(40, signed('fail', 'crm'))],
    answer: 'not_enough',
  },
  {
    behaviour: 'the same, whose second key is not published',
    streams: [OWN, SERVICE(60, passDkim('crm')), SERVICE(40, signed('permerror', 'crm2'))],
    answer: 'not_enough',
  },
  {
    behaviour: 'the same at SES, which SPF does not name',
    streams: [
      OWN,
      SES(60, { ...passDkim('crm'), ...mfrom('bounce.crm.example', 'pass') }),
      SES(40, { ...signed('fail', 'crm'), ...mfrom('bounce.crm.example', 'pass') }),
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'a service that signs 60%, whose mail is also forwarded',
    streams: [
      OWN,
      SERVICE(60, passDkim('crm')),
      { ...SERVICE(40), addresses: addresses('203.0.113.60', 4) },
      { ...FORWARDED, perDay: 5, ...passDkim('crm') },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'a service that signs, whose mail a list sends on altered',
    streams: [OWN, SERVICE(60, passDkim('crm')), { ...LIST, ...signed('fail', 'crm') }],
    answer: 'yes',
  },
  {
    behaviour: 'a server outside SPF with a key of its own that breaks 40%',
    streams: [
      OWN,
      { ...BROKEN('203.0.113.70', 60), ...passDkim('web') },
      { ...BROKEN('203.0.113.70', 40), ...signed('fail', 'web') },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'Google, which SPF does not name, signs 60% with a key of its own',
    records: spf('v=spf1 ip4:192.0.2.0/28 -all'),
    streams: [
      OWN,
      { ...GOOGLE, perDay: 60, spfPassed: false, ...mfrom('example.com', 'fail') },
      {
        addresses: GOOGLE.addresses,
        perDay: 40,
        ...mfrom('example.com', 'fail'),
      },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'no sender in SPF, and 10% of the mail that a brand bounces is not signed',
    records: spf('v=spf1 -all'),
    streams: [
      { ...OWN, spfPassed: false, ...mfrom('bounce.brand.example', 'pass') },
      { addresses: OWN.addresses, perDay: 100, ...mfrom('bounce.brand.example', 'pass') },
    ],
    answer: 'not_enough',
  },
  {
    behaviour: 'DNS that does not answer for MX',
    records: {
      'example.com': { TXT: ['v=spf1 ip4:192.0.2.0/28 -all'], fail: { MX: 'SERVFAIL' } },
    },
    streams: [OWN],
    answer: 'not_enough',
  },
  {
    behaviour: 'DNS that does not answer for an own MX host',
    records: spf('v=spf1 ip4:192.0.2.0/28 -all', { 'mx.example.com': { fail: 'SERVFAIL' } }),
    streams: [OWN],
    answer: 'not_enough',
  },
  {
    behaviour: 'our tenant of Microsoft, with its onmicrosoft.com name and nothing signed',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:spf.protection.outlook.com -all', M365),
    streams: [OWN, { addresses: OUTLOOK, perDay: 300, ...mfrom('we.onmicrosoft.com', 'pass') }],
    answer: 'no',
    senders: ['Microsoft 365'],
  },
  {
    behaviour: 'replies of calendars from Google with its bounce domain',
    streams: [
      OWN,
      { ...GOOGLE, perDay: 30 },
      {
        addresses: GOOGLE.addresses,
        perDay: 20,
        ...mfrom('calendar-server.bounces.google.com', 'pass'),
      },
    ],
    answer: 'no',
    senders: ['Google'],
  },
  {
    behaviour: 'two of our bounce domains at one service, one of which lost SPF and its key',
    streams: [
      OWN,
      { ...SENDGRID('', 90), ...passSpf('em1.example.com'), ...passDkim('sg') },
      { ...SENDGRID('', 40), ...mfrom('em2.example.com', 'fail'), ...signed('fail', 'sg2') },
    ],
    answer: 'no',
    senders: ['SendGrid'],
  },
  {
    behaviour: 'bounces of our server, whose name in HELO does not pass',
    streams: [
      OWN,
      {
        addresses: OWN.addresses,
        perDay: 30,
        spf: [{ domain: 'srv1.invalid', scope: 'helo', result: 'none' }],
      },
    ],
    answer: 'no',
    senders: ['own servers'],
  },
  {
    behaviour: 'thirty forwarders that keep the envelope and break signatures',
    streams: [
      OWN,
      {
        addresses: addresses('203.0.113.1', 30),
        perDay: 90,
        ...mfrom('example.com', 'fail'),
        ...signed('fail'),
      },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a mailing list that keeps some signatures whole',
    streams: [OWN, { ...LIST, ...passDkim() }, LIST],
    answer: 'yes',
  },
  {
    behaviour: 'a service that failed 60 days ago, and is no longer in SPF',
    records: spf('v=spf1 ip4:192.0.2.0/28 -all'),
    streams: [OWN, { ...ZENDESK, days: [70, 60] }],
    period: 90,
    answer: 'yes',
  },
  {
    behaviour: 'yearly invoices 80 days ago, and 60 messages that passed as a test since',
    streams: [
      OWN,
      BROKEN('192.0.2.9', 300, [82, 80]),
      { ...OWN, addresses: ['192.0.2.9'], perDay: 60, days: [60, 60] },
    ],
    period: 90,
    answer: 'yes',
  },
  {
    behaviour: 'thirty-five keys, each for a day',
    streams: [
      OWN,
      ...Array.from({ length: 35 }, (_, day) =>
        SES(60, { ...passDkim(`k${day}`), days: [day, day] }),
      ),
    ],
    answer: 'yes',
  },
  {
    behaviour: 'one of three keys of a service is not published',
    streams: [{ ...OWN, perDay: 9_000 }, SES(40, passDkim('a')), SES(20, signed('permerror', 'b'))],
    answer: 'no',
    senders: ['Amazon SES'],
  },
  {
    behaviour: 'a server that SPF names by one IPv6 address, and sends from others of its /64',
    records: spf('v=spf1 ip4:192.0.2.0/28 ip6:2001:db8:9::1 -all'),
    streams: [
      OWN,
      { ...UNSIGNED, addresses: ['2001:db8:9::1'], perDay: 30 },
      { addresses: ['2001:db8:9::7'], perDay: 30, ...mfrom('example.com', 'fail') },
    ],
    answer: 'no',
  },
  {
    behaviour: 'a server that fails on Mondays alone',
    streams: [
      { ...OWN, perDay: 9_000 },
      ...[2, 9, 16, 23, 30].map((day) => BROKEN('192.0.2.9', 5, [day, day])),
    ],
    answer: 'no',
  },
  {
    behaviour: 'another customer of Google, which an include of our own includes',
    records: spf('v=spf1 include:_spf.example.com -all', {
      '_spf.example.com': { TXT: ['v=spf1 ip4:192.0.2.0/28 include:_spf.google.com -all'] },
    }),
    streams: [
      OWN,
      GOOGLE,
      { addresses: addresses('198.51.100.10', 4), perDay: 60, ...mfrom('club.example', 'pass') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'three accounts at Mailgun, one of which does not sign',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:mailgun.org -all'),
    streams: [
      OWN,
      { ...MAILGUN('a.mailgun.org', 50), ...passDkim('a') },
      { ...MAILGUN('b.mailgun.org', 50), ...passDkim('b') },
      MAILGUN('c.mailgun.org', 30),
    ],
    answer: 'not_enough',
    senders: ['Mailgun'],
  },
  {
    behaviour: 'a service whose range SPF lists as addresses, and that signs 60%',
    records: spf('v=spf1 ip4:192.0.2.0/28 ip4:198.51.100.192/27 -all'),
    streams: [OWN, SES(60, passDkim('ses')), SES(40)],
    answer: 'no',
    senders: ['Amazon SES'],
  },
  {
    behaviour: 'a gateway with several regions that sends bounces with its own name in HELO',
    records: spf('v=spf1 include:eu._netblocks.mimecast.com -all', {
      'eu._netblocks.mimecast.com': { TXT: ['v=spf1 ip4:203.0.113.168/29 -all'] },
    }),
    streams: [
      { addresses: addresses('203.0.113.169', 3), perDay: 500, ...passSpf() },
      { addresses: addresses('203.0.113.169', 3), perDay: 30, ...helo('eu-smtp-1.mimecast.com') },
    ],
    answer: 'no',
    senders: ['Mimecast (EU)'],
  },
  {
    behaviour: 'a failing subdomain that publishes p=reject of its own',
    records: {
      'shop.example.com': { TXT: ['v=spf1 include:mailgun.org -all'] },
      '_dmarc.shop.example.com': { TXT: ['v=DMARC1; p=reject'] },
    },
    streams: [OWN, { ...MAILGUN('mailgun.org', 12), headerFrom: 'shop.example.com' }],
    answer: 'yes',
  },
  {
    behaviour: 'a failing subdomain with two DMARC records, of which receivers use none',
    records: {
      'shop.example.com': { TXT: ['v=spf1 ip4:203.0.113.200 -all'] },
      '_dmarc.shop.example.com': { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=none; fo=1'] },
    },
    streams: [OWN, { ...BROKEN('203.0.113.200', 12), headerFrom: 'shop.example.com' }],
    answer: 'no',
  },
  {
    behaviour: 'a failing subdomain under sp=reject, which is in force',
    records: dmarc('v=DMARC1; p=none; sp=reject; rua=mailto:d@example.com'),
    streams: [OWN, { ...BROKEN('192.0.2.9', 3), headerFrom: 'news.example.com' }],
    answer: 'no',
  },
  {
    behaviour: 'a service whose signatures only Microsoft finds broken',
    records: spf('v=spf1 ip4:192.0.2.0/28 -all'),
    streams: [
      OWN,
      SES(100, passDkim('ses')),
      SES(60, { ...signed('fail', 'ses'), reporter: 'microsoft.com' }),
    ],
    answer: 'no',
    senders: ['Amazon SES'],
  },
  {
    behaviour: 'a seasonal server that failed, passed and failed again',
    streams: [
      OWN,
      BROKEN('192.0.2.9', 40, [85, 80]),
      { ...OWN, addresses: ['192.0.2.9'], perDay: 60, days: [60, 60] },
      BROKEN('192.0.2.9', 40, [52, 50]),
    ],
    period: 90,
    answer: 'no',
  },
  {
    behaviour: 'a service that SPF includes by now, with our envelope',
    records: spf('v=spf1 ip4:192.0.2.0/28 include:spf.crm.example -all', {
      'spf.crm.example': { TXT: ['v=spf1 ip4:203.0.113.40/29 -all'] },
    }),
    streams: [OWN, SERVICE(60, mfrom('example.com', 'fail'))],
    answer: 'yes',
  },
  {
    behaviour: 'a forger that repeats a message of a service more often than that sends',
    streams: [
      OWN,
      SERVICE(60, passDkim('crm')),
      { ...FORGED, ...mfrom('evil.example', 'pass'), ...passDkim('crm') },
    ],
    answer: 'yes',
  },
  {
    behaviour: 'a server in no SPF record, decided to be ours',
    streams: [OWN, { ...BROKEN('203.0.113.70', 30), ...mfrom('example.com', 'fail') }],
    decisions: [['203.0.113.0/24/203.0.113.70', 'ours']],
    answer: 'no',
    senders: ['203.0.113.0/24'],
  },
];

/** Whether mail of ours is signed in an account there: another one is someone else's or ours. */
export function usesAccounts({ streams }: ScriptedDomain): boolean {
  return streams.some(
    ({ dkimPassed, spf }) => dkimPassed && spf?.[0]?.domain.endsWith('.ct.sendgrid.net'),
  );
}
