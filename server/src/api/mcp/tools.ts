// The tools of the MCP server and the requests that answer them. Results are compact for a language model: only true
// flags, only what was found, evidence on request.
import type { AsnSearchAnswer } from '@whence/dataset/internal/lookup/asn-search';
import type { AsnPrefixes, AsnRecord, Detection, Evidence, IpRecord } from '@whence/dataset/record';
import { MAX_SELECTORS } from '@whence/email/internal/dkim/selectors';
import type { AddressMembers } from '../../address/sections.ts';
import type { Counted } from '../../admission/declaration.ts';
import type { EmailAnswer } from '../../email-checks/fit-answer.ts';
import {
  boolean,
  exactObject,
  integer,
  list,
  oneOfTexts,
  optional,
  string,
  typed,
  type ValueOf,
} from '../../http/json-schema.ts';
import type { DatasetReport } from '../../versions/dataset-report.ts';
import { ADDRESS_SECTIONS, INCLUDABLE_SECTIONS, LOCAL_ADDRESS_SECTIONS } from '../../vocabulary.ts';
import * as results from './tool-results.ts';

export type ApiRequest = { readonly method: 'GET' | 'POST'; readonly url: string; readonly body?: object };

type ToolOf<Input, Data> = {
  readonly name: string;
  /** The request of the API that a call is: its declaration holds. */
  readonly counts: Counted;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Input;
  readonly outputSchema: object;
  readonly requestFor: (given: ValueOf<Input>) => ApiRequest;
  /** JSON drops members that are undefined. */
  readonly compact: (data: Data, given: ValueOf<Input>) => Record<string, unknown>;
};
/** Its functions take what `inputSchema` describes and what the request answers, which only they know. */
export type Tool = Omit<
  ToolOf<{ readonly properties: Readonly<Record<string, object>> }, never>,
  'requestFor' | 'compact'
> & {
  readonly requestFor: (given: never) => ApiRequest;
  readonly compact: (data: never, given: never) => Record<string, unknown>;
};
const tool = <Input extends Tool['inputSchema'], Data>(one: ToolOf<Input, Data>): Tool => one;

const explain = (what: string) => boolean(`true adds ${what}. Default: false.`);

/** A text that becomes part of a URL. None that is valid is longer. */
const text = (description: string, example?: string) => ({ ...string(description, example), maxLength: 300 });
/** The tools return numbers of networks as integers. */
const textOrNumber = (description: string, example: string) =>
  typed<string | number>({ ...text(description, example), type: ['string', 'integer'] });

const MAX_LISTED_PREFIXES = 1000;
const MAX_BATCH = 1000;

type Address = IpRecord & { evidence?: readonly Evidence[] } & AddressMembers;
type BatchEntry = Address | { readonly error: string; readonly code: string };

const address = tool({
  name: 'address',
  counts: 'ip',
  title: 'Look up an IP address',
  description:
    'Network (AS), announced prefix, country, registry, connection type, flags (VPN, proxy, Tor, datacenter, AI crawler) and threat score of one IPv4 or IPv6 address.',
  inputSchema: exactObject({
    ip: text('IPv4 or IPv6 address.', '8.8.8.8'),
    explain: optional(explain('the source, prefix and date behind every field')),
    include: optional(
      list(
        oneOfTexts(ADDRESS_SECTIONS),
        'More about it: routing (origins and RPKI), privacy (the service behind it), scanner (who scans from it), hostname (asks DNS), registration (asks the registry, where switched on).',
      ),
    ),
  }),
  outputSchema: results.address,
  requestFor: ({ ip, explain: isExplained, include = [] }) => ({
    method: 'GET',
    url: withQuery(`/v1/ip/${pathPart(ip)}`, { explain: isExplained, include: include.join() }),
  }),
  compact: (data: Address) => compactAddress(data),
});

const batch = tool({
  name: 'batch',
  counts: 'batch',
  title: 'Look up many IP addresses',
  description:
    'The same as address for up to 1,000 addresses (fewer in smaller tiers). Counts as one request. Addresses that are invalid or not announced have an error in their place.',
  inputSchema: exactObject({
    ips: {
      ...list(string('IPv4 or IPv6 address.', '8.8.8.8')),
      minItems: 1,
      maxItems: MAX_BATCH,
      description: 'The addresses.',
    },
    include: optional(list(oneOfTexts(LOCAL_ADDRESS_SECTIONS), 'More about each: routing, privacy, scanner.')),
  }),
  outputSchema: results.batch,
  requestFor: (body) => ({ method: 'POST', url: '/v1/ip/batch', body }),
  compact: (data: Record<string, BatchEntry>) => ({
    results: Object.entries(data).map(([query, entry]) => ({
      query,
      ...('error' in entry ? { error: entry.error, code: entry.code } : compactAddress(entry)),
    })),
  }),
});

const network = tool({
  name: 'network',
  counts: 'asn',
  title: 'Look up a network by its AS number',
  description:
    'Name, country, registry, connection type and size of a network, and on request the prefixes it announces.',
  inputSchema: exactObject({
    asn: textOrNumber('AS number, with or without AS.', 'AS15169'),
    prefixes: optional({
      ...integer('How many announced prefixes of each family to list. Default: 0.'),
      minimum: 0,
      maximum: MAX_LISTED_PREFIXES,
    }),
  }),
  outputSchema: results.network,
  requestFor: ({ asn, prefixes = 0 }) => ({
    method: 'GET',
    url: withQuery(`/v1/asn/${pathPart(String(asn))}`, { include_prefixes: prefixes > 0 }),
  }),
  compact: ({ prefixes: announced, ...record }: AsnRecord & { prefixes?: AsnPrefixes }, { prefixes = 0 }) => ({
    ...record,
    prefixes: announced && { ipv4: announced.ipv4.slice(0, prefixes), ipv6: announced.ipv6.slice(0, prefixes) },
  }),
});

const search = tool({
  name: 'search',
  counts: 'asn_search',
  title: 'Find networks by name',
  description: 'Networks whose name, handle or number matches a text, best matches first.',
  inputSchema: exactObject({
    query: textOrNumber('Part of a name, such as google, or an AS number; at most 100 characters.', 'google'),
    limit: optional({ ...integer('Results, at most 100. Default: 10.'), minimum: 1, maximum: 100 }),
  }),
  outputSchema: results.search,
  requestFor: ({ query, limit = 10 }) => ({ method: 'GET', url: withQuery('/v1/asn/search', { q: query, limit }) }),
  compact: ({ total, results: found }: AsnSearchAnswer) => ({
    total,
    results: found.map(({ asn, asn_name, country, connection_type, prefix_count }) => {
      return { asn, asn_name, country, connection_type, prefix_count };
    }),
  }),
});

const domain = tool({
  name: 'domain',
  counts: 'email',
  title: 'Check the mail records of a domain',
  description:
    'MX, SPF, DKIM and DMARC of a domain with a score, a grade and what to fix first. Asks DNS, which takes up to 8 seconds.',
  inputSchema: exactObject({
    domain: text('A domain name.', 'example.com'),
    selectors: optional({
      ...list(text('Name of a selector.')),
      maxItems: MAX_SELECTORS,
      description: 'DKIM selectors. Without them, the common ones are tried.',
    }),
    include: optional(
      list(
        oneOfTexts(INCLUDABLE_SECTIONS),
        'transport (MTA-STS, TLS-RPT, DANE, BIMI, DNSSEC), networks (who carries the mail), smtp (connects to the MX hosts, where switched on).',
      ),
    ),
    explain: optional(explain('the whole report, with every record as published')),
  }),
  outputSchema: results.domain,
  requestFor: ({ domain: name, selectors = [], include = [] }) => ({
    method: 'GET',
    url: withQuery(`/v1/email/domain/${pathPart(name)}/dns`, {
      selectors: selectors.join(),
      include: include.join(),
    }),
  }),
  compact: (report: EmailAnswer, { explain: isExplained }) => compactReport(report, isExplained === true),
});

const dataset = tool({
  name: 'dataset',
  counts: 'dataset',
  title: 'Describe the dataset that answers',
  description: 'Version, age and sources of the data, and which flags no source knows or only lists that are too old.',
  inputSchema: exactObject({ explain: optional(explain('figures, measured quality, licences and credits')) }),
  outputSchema: results.dataset,
  requestFor: () => ({ method: 'GET', url: '/v1/dataset' }),
  compact: (report: DatasetReport, { explain: isExplained }) => ({
    version: report.version,
    built_at: report.built_at,
    age_seconds: report.age_seconds,
    data_as_of: report.data_as_of,
    networks: report.counts.asns,
    prefixes: { ipv4: report.counts.ipv4_prefixes, ipv6: report.counts.ipv6_prefixes },
    sources: report.sources.map(({ id, as_of }) => ({ id, as_of })),
    unknown_flags: report.unknown_flags,
    dated_flags: report.dated_flags,
    threat_is_known: report.threat_is_known,
    report: isExplained === true ? report : undefined,
  }),
});

export const TOOLS: readonly Tool[] = [address, batch, network, search, domain, dataset];

function compactAddress({ detection, ...record }: Address): Record<string, unknown> {
  const { ai_company, cloud_provider, ...flags } = detection;
  return {
    ...record,
    flags: Object.keys(flags).filter((name) => flags[name as keyof Omit<Detection, 'ai_company' | 'cloud_provider'>]),
    ai_company,
    cloud_provider,
  };
}

function compactReport(report: EmailAnswer, isExplained: boolean): Record<string, unknown> {
  const { mx, spf, dkim, dmarc, recommendations, transport, networks, smtp } = report;
  return {
    domain: report.domain,
    score: report.domain_auth_score,
    grade: report.grade,
    mx: { records: mx.records, errors: mx.errors },
    spf: { record: spf.raw, errors: spf.validation_errors },
    dkim: dkim
      .filter(({ found }) => found)
      .map(({ selector, key_type, key_bits, validation_errors }) => ({
        ...{ selector, key_type, key_bits },
        errors: validation_errors,
      })),
    dmarc: { record: dmarc.raw, policy: dmarc.effective_policy, errors: dmarc.validation_errors },
    ...{ recommendations, transport, networks, smtp },
    report: isExplained ? report : undefined,
  };
}

/** A lone surrogate, which JSON can escape and UTF-8 cannot express, becomes U+FFFD. */
const pathPart = (text: string) => encodeURIComponent(Buffer.from(text).toString());

function withQuery(path: string, parameters: Record<string, string | number | boolean | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given as [string, string][])}`;
}
