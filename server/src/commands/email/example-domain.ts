/**
 * An invented domain: a server and a service that are set up well, a service that does not sign, a
 * forwarder, and a flood of forged mail; and what two receivers report about it on every day.
 */
export const EXAMPLE_DOMAIN = 'bakery.example';

type ZoneRecord =
  | { readonly type: 'TXT'; readonly data: string }
  | { readonly type: 'A'; readonly data: string }
  | { readonly type: 'MX'; readonly data: { preference: number; exchange: string } };

const txt = (data: string): ZoneRecord => ({ type: 'TXT', data });

export const EXAMPLE_ZONE: Readonly<Record<string, readonly ZoneRecord[]>> = {
  [EXAMPLE_DOMAIN]: [
    txt('v=spf1 ip4:192.0.2.0/28 include:_spf.google.com include:mail.zendesk.com -all'),
    { type: 'MX', data: { preference: 10, exchange: `mx.${EXAMPLE_DOMAIN}` } },
  ],
  [`mx.${EXAMPLE_DOMAIN}`]: [{ type: 'A', data: '192.0.2.2' }],
  [`_dmarc.${EXAMPLE_DOMAIN}`]: [txt(`v=DMARC1; p=none; rua=mailto:dmarc@${EXAMPLE_DOMAIN}`)],
  '_spf.google.com': [txt('v=spf1 ip4:198.51.100.0/26 ~all')],
  'mail.zendesk.com': [txt('v=spf1 ip4:198.51.100.128/26 ~all')],
};

/** Mail of one kind on a day. */
type Stream = {
  readonly addresses: readonly string[];
  /** Messages a day from each address. */
  readonly messages: number;
  readonly spf: readonly [domain: string, result: 'pass' | 'fail'];
  /** Its result; undefined without a signature. */
  readonly dkim?: 'pass' | 'fail';
};

const addresses = (network: string, first: number, count: number) =>
  Array.from({ length: count }, (_, i) => `${network}${first + i}`);

const STREAMS: readonly Stream[] = [
  { addresses: ['192.0.2.1'], messages: 180, spf: [EXAMPLE_DOMAIN, 'pass'], dkim: 'pass' },
  {
    addresses: addresses('198.51.100.', 1, 5),
    messages: 40,
    spf: [EXAMPLE_DOMAIN, 'pass'],
    dkim: 'pass',
  },
  { addresses: addresses('198.51.100.', 129, 2), messages: 6, spf: ['zendesk.com', 'pass'] },
  { addresses: ['203.0.113.9'], messages: 4, spf: ['lists.example', 'pass'], dkim: 'fail' },
  { addresses: addresses('2001:db8:bad::', 100, 60), messages: 25, spf: [EXAMPLE_DOMAIN, 'fail'] },
];
const REPORTERS = ['google.com', 'microsoft.com'];
const DAY_MS = 86_400_000;
const DAY_SECONDS = DAY_MS / 1000;

/** Texts by file name, for the given number of days before today. */
export function exampleReports(nowMs: number, days: number): Record<string, string> {
  const today = Math.floor(nowMs / DAY_MS) * DAY_SECONDS;
  const files: Record<string, string> = {};
  for (let daysAgo = 1; daysAgo <= days; daysAgo++)
    for (const reporter of REPORTERS) {
      const begin = today - daysAgo * DAY_SECONDS;
      files[`${reporter}!${EXAMPLE_DOMAIN}!${begin}.xml`] = reportOf(reporter, begin);
    }
  return files;
}

function reportOf(reporter: string, begin: number): string {
  const rows = STREAMS.flatMap((stream) =>
    stream.addresses.map((address) => rowOf(address, stream)),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<feedback><report_metadata><org_name>${reporter}</org_name><email>dmarc@${reporter}</email><report_id>${begin}</report_id>
<date_range><begin>${begin}</begin><end>${begin + DAY_SECONDS - 1}</end></date_range></report_metadata>
<policy_published><domain>${EXAMPLE_DOMAIN}</domain><p>none</p></policy_published>
${rows.join('\n')}</feedback>`;
}

function rowOf(address: string, { messages, spf: [domain, result], dkim }: Stream): string {
  const isAligned = domain === EXAMPLE_DOMAIN && result === 'pass';
  const signature =
    dkim === undefined
      ? ''
      : `<dkim><domain>${EXAMPLE_DOMAIN}</domain><selector>s1</selector><result>${dkim}</result></dkim>`;
  return `<record><row><source_ip>${address}</source_ip><count>${messages}</count>
<policy_evaluated><disposition>none</disposition><dkim>${dkim ?? 'fail'}</dkim><spf>${isAligned ? 'pass' : 'fail'}</spf></policy_evaluated></row>
<identifiers><header_from>${EXAMPLE_DOMAIN}</header_from></identifiers>
<auth_results>${signature}<spf><domain>${domain}</domain><scope>mfrom</scope><result>${result}</result></spf></auth_results></record>`;
}
