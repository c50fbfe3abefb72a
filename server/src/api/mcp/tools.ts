/**
 * The tools of the MCP server. Each is a route of the API: arguments and results have the schemas
 * of the route, and a call is a request of the route. What a language model seldom needs of a long
 * answer is left out without `explain`.
 */
import { type AsnPrefixes, type AsnRecord, FLAGS, type IpRecord } from '@whence/dataset/record';
import type { Counted } from '../../admission/declaration.ts';
import type { EmailAnswer } from '../../email-checks/fit-answer.ts';
import {
  boolean,
  exactObject,
  integer,
  object,
  optional,
  strings,
} from '../../http/json-schema.ts';
import type { DatasetReport } from '../../versions/dataset-report.ts';
import { asnSchema, asnSearchSchema } from '../schemas/asn.ts';
import { datasetSchema } from '../schemas/dataset.ts';
import { emailDomainSchema } from '../schemas/email.ts';
import { batchSchema, ipSchema } from '../schemas/ip.ts';
import { ipRecord, threat } from '../schemas/ip-record.ts';

export type ApiRequest = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: object;
};

type Arguments = Readonly<Record<string, unknown>>;

type DataSchema = {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
};

/** Whether the score of an address is complete. */
type IsThreatKnown = (ip: string) => boolean;

/** A route of the API as a tool. */
type ToolRoute = {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** What a request counts as: its declaration holds for a call. */
  readonly counts: Counted;
  readonly schema: {
    readonly summary: string;
    readonly querystring?: { readonly properties: object };
    readonly response: { readonly 200: { readonly properties: { readonly data: DataSchema } } };
  };
  readonly description: string;
  /** Schemas of parameters of the route, and of what only the tool has. */
  readonly arguments: Readonly<Record<string, object>>;
  /** The parameters of the route, unless they are the arguments. */
  readonly parameters?: (given: never) => Arguments;
  /** The answer without what was not requested, or in fewer words. */
  readonly trim?: (data: never, given: never, isThreatKnown: IsThreatKnown) => object;
  /** The schema of what `trim` returns, unless it has all that is always in the answer. */
  readonly trimmed?: DataSchema;
  /** Members of the answer that only `explain` shows. */
  readonly onlyExplained?: readonly string[];
};

const { detection: _detection, threat: _threat, ...recordMembers } = ipRecord.properties;
const compactRecord = object({
  ...recordMembers,
  threat: object({
    score: threat.properties.score,
    level: optional(threat.properties.level),
    explanation: threat.properties.explanation,
  }),
  flags: strings('Those that are true: is_vpn, is_proxy, is_tor_exit, is_datacenter, …'),
});

const wholeReport = optional(boolean('true answers with the whole report. Default: false.'));
const MAX_LISTED_PREFIXES = 1000;
/** A text becomes part of a URL. None that is valid is longer. */
const MAX_TEXT_CHARACTERS = 300;

type Explained = { readonly explain?: boolean };
type NetworkArguments = { readonly asn: string | number; readonly prefixes?: number };

const ROUTES: readonly ToolRoute[] = [
  {
    name: 'address',
    method: 'GET',
    url: '/v1/ip/:ip',
    counts: 'ip',
    schema: ipSchema,
    description:
      'Network (AS), announced prefix, country, registry, connection type, flags (VPN, proxy, Tor, datacenter, AI crawler) and threat score of one IPv4 or IPv6 address.',
    arguments: {
      ip: ipSchema.params.properties.ip,
      explain: ipSchema.querystring.properties.explain,
      include: ipSchema.querystring.properties.include,
    },
    trim: (record: IpRecord, _: unknown, isThreatKnown: IsThreatKnown) =>
      compactAddress(record, isThreatKnown),
    trimmed: compactRecord,
  },
  {
    name: 'batch',
    method: 'POST',
    url: '/v1/ip/batch',
    counts: 'batch',
    schema: batchSchema,
    description:
      'The same as address for up to 1,000 addresses (fewer in smaller tiers). Counts as one request. Addresses that are invalid or not announced have an error in their place.',
    arguments: batchSchema.documentedBody.properties,
    trim: (
      entries: Record<string, IpRecord | { readonly error: string }>,
      _: unknown,
      isThreatKnown: IsThreatKnown,
    ) =>
      Object.fromEntries(
        Object.entries(entries).map(([text, entry]) => [
          text,
          'error' in entry ? entry : compactAddress(entry, isThreatKnown),
        ]),
      ),
    trimmed: { type: 'object' },
  },
  {
    name: 'network',
    method: 'GET',
    url: '/v1/asn/:asn',
    counts: 'asn',
    schema: asnSchema,
    description:
      'Name, country, registry, connection type and size of a network, and on request the prefixes it announces.',
    arguments: {
      asn: textOrInteger(asnSchema.params.properties.asn),
      prefixes: optional({
        ...integer('How many announced prefixes of each family to list. Default: 0.'),
        minimum: 0,
        maximum: MAX_LISTED_PREFIXES,
      }),
    },
    parameters: ({ asn, prefixes = 0 }: NetworkArguments) => ({
      asn,
      include_prefixes: prefixes > 0,
    }),
    trim: (network: AsnRecord & { prefixes?: AsnPrefixes }, { prefixes = 0 }: NetworkArguments) => {
      const { ipv4 = [], ipv6 = [] } = network.prefixes ?? {};
      if (prefixes === 0) return network;
      return {
        ...network,
        prefixes: { ipv4: ipv4.slice(0, prefixes), ipv6: ipv6.slice(0, prefixes) },
      };
    },
  },
  {
    name: 'search',
    method: 'GET',
    url: '/v1/asn/search',
    counts: 'asn_search',
    schema: asnSearchSchema,
    description: 'Networks whose name, handle or number matches a text, best matches first.',
    arguments: {
      query: textOrInteger(asnSearchSchema.querystring.properties.q),
      limit: asnSearchSchema.querystring.properties.limit,
      cursor: asnSearchSchema.querystring.properties.cursor,
    },
    parameters: ({ query, ...others }: Arguments) => ({ q: query, ...others }),
  },
  {
    name: 'domain',
    method: 'GET',
    url: '/v1/email/domain/:domain/dns',
    counts: 'email',
    schema: emailDomainSchema,
    description:
      'MX, SPF, DKIM and DMARC of a domain with a score, a grade and what to fix first. Asks DNS, which takes up to 8 seconds.',
    arguments: {
      domain: emailDomainSchema.params.properties.domain,
      selectors: emailDomainSchema.querystring.properties.selectors,
      include: emailDomainSchema.querystring.properties.include,
      explain: wholeReport,
    },
    trim: (report: EmailAnswer, { explain = false }: Explained) =>
      explain ? report : { ...report, dkim: report.dkim.filter(({ found }) => found) },
  },
  {
    name: 'dataset',
    method: 'GET',
    url: '/v1/dataset',
    counts: 'dataset',
    schema: datasetSchema,
    description:
      'Version, age and sources of the data, and which flags no source knows or only lists that are too old.',
    arguments: { explain: wholeReport },
    onlyExplained: [
      'data_sources',
      'versions',
      'figures',
      'flag_sources',
      'refused',
    ] satisfies (keyof DatasetReport)[],
  },
];

export type Tool = Pick<ToolRoute, 'name' | 'description' | 'counts'> & {
  readonly title: string;
  readonly inputSchema: { readonly properties: Readonly<Record<string, object>> };
  readonly outputSchema: object;
  /** For arguments that the schema allows. */
  requestFor(given: Arguments): ApiRequest;
  resultOf(data: object, given: Arguments, isThreatKnown: IsThreatKnown): object;
};

export const TOOLS: readonly Tool[] = ROUTES.map((route) => {
  const { name, counts, description, schema, trim, trimmed, onlyExplained = [] } = route;
  const { data } = schema.response[200].properties;
  const inputs = Object.entries(route.arguments).map(([key, given]) => [key, argumentOf(given)]);
  return {
    name,
    counts,
    title: schema.summary,
    description,
    inputSchema: exactObject(Object.fromEntries(inputs)),
    outputSchema: alwaysPresent(trimmed ?? data, onlyExplained),
    requestFor: (given) => requestOf(route, given),
    resultOf(answer, given, isThreatKnown) {
      const result =
        trim === undefined ? answer : trim(answer as never, given as never, isThreatKnown);
      if (onlyExplained.length === 0 || given['explain'] === true) return result;
      const members = Object.entries(result).filter(([member]) => !onlyExplained.includes(member));
      return Object.fromEntries(members);
    },
  };
});

/**
 * The schema of what every result has: others are allowed, and need not be listed to each client.
 */
function alwaysPresent(data: DataSchema, leftOut: readonly string[]): DataSchema {
  const { properties, required } = data;
  if (properties === undefined || required === undefined) return data;
  const present = required.filter((member) => !leftOut.includes(member));
  return {
    ...data,
    properties: Object.fromEntries(present.map((member) => [member, properties[member] ?? {}])),
    required: present,
  };
}

function requestOf({ method, url, parameters, schema }: ToolRoute, given: Arguments): ApiRequest {
  const values = parameters?.(given as never) ?? given;
  if (method === 'POST') return { method, url, body: values };
  const query = new URLSearchParams();
  let path = url;
  for (const [name, value] of Object.entries(values)) {
    if (path.includes(`:${name}`)) path = path.replace(`:${name}`, pathPart(String(value)));
    else if (name in (schema.querystring?.properties ?? {})) query.set(name, String(value));
  }
  return { method, url: query.size === 0 ? path : `${path}?${query}` };
}

/** Most flags of most addresses are false. An incomplete score has no level. */
function compactAddress(
  { detection, threat, ...record }: IpRecord,
  isThreatKnown: IsThreatKnown,
): object {
  const { ai_company, cloud_provider } = detection;
  const { level, ...incomplete } = threat;
  const isKnown = isThreatKnown(record.ip);
  // JSON drops members that are undefined.
  return {
    ...record,
    threat: isKnown ? { ...incomplete, level } : incomplete,
    ...(isKnown ? {} : { threat_is_known: false }),
    flags: FLAGS.filter((flag) => detection[flag]),
    ai_company,
    cloud_provider,
  };
}

/** A lone surrogate, which JSON can escape and UTF-8 cannot express, becomes U+FFFD. */
const pathPart = (text: string) => encodeURIComponent(Buffer.from(text).toString());

/** The tools return numbers of networks as integers. */
function textOrInteger<Given extends object>(schema: Given) {
  return { ...schema, type: ['string', 'integer'] };
}

/** Patterns and defaults are those of the route, which refuses texts with errors of its own. */
function argumentOf(schema: object): object {
  const {
    pattern: _,
    minLength: __,
    default: ___,
    ...others
  } = schema as Readonly<Record<string, unknown>>;
  const isText = [others['type']].flat().includes('string');
  return isText ? { ...others, maxLength: MAX_TEXT_CHARACTERS } : others;
}
