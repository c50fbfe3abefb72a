/** Mail of scripted domains, by who sends it, and floods of forged mail beside it. */
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import type { ReportRow, ReportShape } from '../reports/report.ts';

/** Mail of one kind, the same on every day of its time. Days count back from the last one. */
export type Stream = Partial<ReportShape> & {
  /** Each has the same share; a number stands for that many addresses of a flood. */
  readonly addresses: readonly string[];
  readonly perDay: number;
  /** The first and the last day; the whole period unless given. */
  readonly days?: readonly [first: number, last: number];
  /** `google.com` unless given. */
  readonly reporter?: string;
};

const SPF =
  'v=spf1 ip4:192.0.2.0/28 ip6:2001:db8:1::/64 mx include:_spf.google.com include:sendgrid.net include:mail.zendesk.com -all';
export const SCRIPTED_ZONE: ZoneRecords = {
  'example.com': { TXT: [SPF], MX: [[10, 'mx.example.com']] },
  'mx.example.com': { A: ['192.0.2.25'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:d@example.com'] },
  'shop.example.com': { TXT: ['v=spf1 ip4:203.0.113.200 include:mailgun.org -all'] },
  'news.example.com': { TXT: ['no SPF here'] },
  '_spf.google.com': { TXT: ['v=spf1 ip4:198.51.100.0/26 ~all'] },
  'sendgrid.net': { TXT: ['v=spf1 ip4:198.51.100.64/26 ~all'] },
  'mail.zendesk.com': { TXT: ['v=spf1 ip4:198.51.100.128/26 ~all'] },
  'amazonses.com': { TXT: ['v=spf1 ip4:198.51.100.192/27 ~all'] },
  'mailgun.org': { TXT: ['v=spf1 ip4:198.51.100.224/27 ~all'] },
};

export const mfrom = (domain: string, result: string) => ({
  spf: [{ domain, scope: 'mfrom', result }],
});
export const signed = (result: string, selector = 's1', domain = 'example.com') => ({
  dkim: [{ domain, selector, result }],
});
export const passSpf = (name = 'example.com') => ({ spfPassed: true, ...mfrom(name, 'pass') });
export const passDkim = (selector = 's1') => ({ dkimPassed: true, ...signed('pass', selector) });
export const addresses = (first: string, count: number) => {
  const [a, b, c, d] = first.split('.').map(Number);
  return Array.from({ length: count }, (_, i) => `${a}.${b}.${c}.${(d ?? 0) + i}`);
};

export const OWN: Stream = { addresses: ['192.0.2.1'], perDay: 1_000, ...passSpf(), ...passDkim() };
export const GOOGLE: Stream = {
  addresses: addresses('198.51.100.1', 5),
  perDay: 500,
  ...passSpf(),
  ...passDkim('google'),
};
export const OURS_AT_SENDGRID: Stream = {
  addresses: addresses('198.51.100.65', 5),
  perDay: 200,
  ...mfrom('u123.ct.sendgrid.net', 'pass'),
  ...passDkim('sg'),
};
export const SENDGRID = (account: string, perDay: number): Stream => ({
  addresses: addresses('198.51.100.65', 5),
  perDay,
  ...mfrom(account, 'pass'),
});
export const SES = (perDay: number, more: Partial<Stream> = {}): Stream => ({
  addresses: addresses('198.51.100.193', 5),
  perDay,
  ...mfrom('eu-west-1.amazonses.com', 'pass'),
  ...more,
});
export const ZENDESK: Stream = {
  addresses: addresses('198.51.100.129', 3),
  perDay: 20,
  ...mfrom('zendesk.com', 'pass'),
};
export const SERVICE = (perDay: number, more: Partial<Stream> = {}): Stream => ({
  addresses: addresses('203.0.113.40', 6),
  perDay,
  ...mfrom('bounce.mailer.example', 'pass'),
  ...more,
});
export const FORWARDED: Stream = {
  addresses: ['203.0.113.9'],
  perDay: 40,
  ...mfrom('example.com', 'fail'),
  ...passDkim(),
};
export const LIST: Stream = {
  addresses: ['203.0.113.20'],
  perDay: 30,
  ...mfrom('lists.example', 'pass'),
  ...signed('fail'),
};
export const ARC: Stream = {
  addresses: ['203.0.113.21'],
  perDay: 30,
  reasons: [{ type: 'local_policy', comment: 'arc=pass as[1].d=lists.example.as[1].s=x' }],
};
export const FORGED: Stream = {
  addresses: addresses('203.0.113.100', 60),
  perDay: 3_000,
  ...mfrom('example.com', 'fail'),
};
export const BROKEN = (address: string, perDay: number, days?: Stream['days']): Stream => ({
  addresses: [address],
  perDay,
  ...mfrom('web.invalid', 'none'),
  ...(days && { days }),
});

/** Forged mail that no verdict may follow: from the network of a forwarder. */
const FORGED_NEARBY: Stream = {
  addresses: addresses('203.0.113.10', 8),
  perDay: 4_000,
  ...mfrom('example.com', 'fail'),
};

/** Names below the domain that a forger makes up. */
const INVENTED_NAMES: readonly Stream[] = Array.from({ length: 35 }, (_, i) => ({
  addresses: ['203.0.113.250'],
  perDay: 100,
  headerFrom: `invented-${i}.example.com`,
  ...mfrom(`invented-${i}.example.com`, 'none'),
}));

export const FLOOD: readonly Stream[] = [FORGED_NEARBY, ...INVENTED_NAMES];

/** The same on one day, from many addresses. */
export function floodFrom(count: number): Stream {
  const many = Array.from(
    { length: count },
    (_, i) => `100.${64 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`,
  );
  return { addresses: many, perDay: count, ...mfrom('example.com', 'fail'), days: [9, 9] };
}

/** The service that a domain uses, with the account of another customer. */
export const OTHER_ACCOUNT: Stream = SENDGRID('u666.ct.sendgrid.net', 5_000);

/** The rows in which a receiver reports a day of a stream. */
export function rowsOf({ addresses: sources, perDay, days, reporter, ...shape }: Stream) {
  return sources.map(
    (address, i): ReportRow => ({
      disposition: 'none',
      spfPassed: false,
      dkimPassed: false,
      reasons: [],
      headerFrom: 'example.com',
      envelopeFrom: '',
      spf: [],
      dkim: [],
      ...shape,
      address,
      count: Math.floor(perDay / sources.length) + (i < perDay % sources.length ? 1 : 0),
    }),
  );
}
