/**
 * What goes over the wire, as JSON Schema: one object per endpoint, which Fastify validates requests with and the
 * OpenAPI document is made of. Answers are described, not filtered.
 */
import { FLAG_SUBJECTS } from '@whence/dataset/record';

const string = (description: string, example?: string) => ({
  type: 'string',
  description,
  ...(example === undefined ? {} : { examples: [example] }),
});
const list = (items: object) => ({ type: 'array', items });
const integer = (description: string) => ({ type: 'integer', description });
const boolean = (description: string) => ({ type: 'boolean', description });

/** A schema that the OpenAPI document has under `components`: see `openapi-document.ts`. */
const named = <Schema extends object>(title: string, schema: Schema) => ({ title, ...schema });

/** An object in which all properties but the optional ones are required. */
function object(properties: Record<string, object>, optional: readonly string[] = []) {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

const processingTime = integer('Milliseconds spent.');
const timedMeta = named('Meta', object({ processing_time_ms: processingTime }));
const ipMeta = named(
  'LookupMeta',
  object({
    request_id: string('Unique identifier of the request; also in X-Request-ID.'),
    processing_time_ms: processingTime,
    cache_status: { type: 'string', enum: ['HIT', 'MISS'] },
    dataset_version: integer('Version of the dataset that answered.'),
  }),
);

const envelope = (description: string, data: object, meta: object = timedMeta) => ({
  description,
  ...object({ data, meta }),
});

const connectionType = {
  type: 'string',
  enum: ['residential', 'datacenter', 'mobile', 'business', 'education'],
};
const rir = { type: 'string', enum: ['ARIN', 'RIPE', 'APNIC', 'LACNIC', 'AFRINIC'] };

const detection = named(
  'Detection',
  object(
    {
      is_datacenter: boolean('connection_type is datacenter.'),
      is_tor_exit: boolean('A Tor exit node.'),
      is_proxy: boolean('A known proxy.'),
      is_vpn: boolean('Belongs to a VPN provider.'),
      is_residential: boolean('connection_type is residential.'),
      is_mobile: boolean('connection_type is mobile.'),
      is_ai_crawler: boolean('Used by an AI crawler or bot.'),
      ai_company: string('Who runs the crawler; only with is_ai_crawler.', 'OpenAI'),
      cloud_provider: string('The cloud provider, when detected.', 'Google Cloud'),
    },
    ['ai_company', 'cloud_provider'],
  ),
);

const threat = named(
  'Threat',
  object(
    {
      score: { type: 'integer', minimum: 0, maximum: 100 },
      level: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
      explanation: {
        type: 'array',
        items: { type: 'string' },
        description: 'One line per contribution, with its points.',
      },
    },
    ['explanation'],
  ),
);

const evidence = named(
  'Evidence',
  object({
    field: string('The field that was decided.', 'country'),
    value: { description: 'Its value.', type: ['string', 'number', 'boolean'] },
    source: string('The source that decided it.', 'npm-dbip-country'),
    prefix: string('The prefix for which the source says so.', '8.8.8.0/24'),
    as_of: string('Date of the source.', '2026-06-01'),
  }),
);

const ipRecord = named(
  'IpRecord',
  object(
    {
      ip: string('The address in normal form.', '8.8.8.8'),
      prefix: string('The announced prefix that holds it.', '8.8.8.0/24'),
      asn: integer('Number of the network.'),
      asn_name: string('Organisation that owns it.', 'Google LLC'),
      country: string('ISO 3166-1 alpha-2; ZZ when nothing is known.', 'US'),
      rir,
      connection_type: connectionType,
      detection,
      threat,
      evidence: { type: 'array', items: evidence, description: 'Only with explain=true.' },
    },
    ['evidence'],
  ),
);

const error = (text: string, code: string, extra: Record<string, object> = {}) =>
  object(
    { error: { type: 'string', const: text }, code: { type: 'string', const: code }, ...extra },
    Object.keys(extra),
  );
const details = (properties: Record<string, object>) => ({ details: { type: 'object', properties } });

const unauthorized = envelope('Key missing, malformed, unknown or revoked.', error('unauthorized', 'UNAUTHORIZED'));
const forbidden = envelope(
  'The key lacks the permission.',
  error('forbidden', 'FORBIDDEN', details({ required: string('The permission it lacks.', 'ip:read') })),
);
const rateLimited = envelope('The day’s requests are used up.', error('rate limit exceeded', 'RATE_LIMIT_EXCEEDED'));
const unavailable = envelope('No dataset is loaded, storage is down, or the server is overloaded.', {
  type: 'object',
  properties: {
    error: { type: 'string', enum: ['dataset unavailable', 'storage unavailable', 'overloaded'] },
    code: { type: 'string', enum: ['DATASET_UNAVAILABLE', 'STORAGE_UNAVAILABLE', 'OVERLOADED'] },
  },
  required: ['error', 'code'],
});
const refusals = { 401: unauthorized, 403: forbidden, 429: rateLimited, 503: unavailable };
const security = [{ key: [] }];

const headersTooLarge = envelope('Headers over 16 KiB.', error('request headers too large', 'HEADERS_TOO_LARGE'));

export const healthz = {
  operationId: 'getHealth',
  security: [],
  summary: 'Is the process alive?',
  tags: ['Health'],
  response: {
    200: envelope('Alive.', object({ status: { type: 'string', const: 'ok' } })),
    431: headersTooLarge,
  },
};

const checks = named(
  'ReadinessChecks',
  object(
    {
      dataset: { type: 'string', enum: ['ok', 'stale', 'fallback', 'missing'] },
      storage: {
        type: 'string',
        enum: ['ok', 'read-only', 'degraded', 'unavailable'],
        description: 'degraded: storage does not answer; known keys and what is leased are used while the grace lasts.',
      },
      update: {
        type: 'string',
        enum: ['ok', 'running', 'failing'],
        description: 'Once there was an update or a pull.',
      },
      shutdown: { type: 'string', const: 'stopping', description: 'Once the server was told to stop.' },
    },
    ['update', 'shutdown'],
  ),
);

const flagSource = named(
  'FlagSource',
  object(
    {
      from: {
        type: 'string',
        enum: ['feeds', 'tables', 'none'],
        description: 'Lists of feeds, only tables of a past date, or nothing: then it is false everywhere.',
      },
      sources: list(string('Name of a source.', 'tor-exits')),
      as_of: string('The newest date of them.', '2026-11-14'),
    },
    ['as_of'],
  ),
);

export const readyz = {
  operationId: 'getReadiness',
  security: [],
  summary: 'Can it answer?',
  tags: ['Health'],
  response: {
    200: envelope(
      'Ready.',
      object(
        {
          status: { type: 'string', const: 'ready' },
          checks,
          dataset_version: integer('Version of the dataset that is served.'),
          dataset_age_seconds: integer('Seconds since it was built.'),
          unknown_flags: {
            ...list({ type: 'string', enum: FLAG_SUBJECTS }),
            description: 'Flags that no source of the dataset knows: false everywhere, until an update brings a list.',
          },
          dated_flags: {
            ...list({ type: 'string', enum: FLAG_SUBJECTS }),
            description: 'Flags that change daily and are from tables of a past date, until an update brings a list.',
          },
          update: object(
            {
              outcome: { type: 'string', enum: ['running', 'published', 'unchanged', 'failed'] },
              started_at: string('When the last update from feeds began.', '2026-11-15T05:00:00.000Z'),
              finished_at: string('When it ended; absent while it runs.', '2026-11-15T05:00:40.000Z'),
              succeeded_at: string('When one last came to its end.', '2026-11-15T05:00:40.000Z'),
              feeds_refused: { type: 'array', items: string('A feed that was refused.', 'tor-exits') },
            },
            ['finished_at', 'succeeded_at'],
          ),
        },
        ['update'],
      ),
    ),
    431: headersTooLarge,
    503: envelope('Not ready.', error('not ready', 'NOT_READY', { checks })),
  },
};

export const ip = {
  operationId: 'getIp',
  summary: 'Look up one address',
  tags: ['IP'],
  security,
  params: object({ ip: string('IPv4 or IPv6 address.', '8.8.8.8') }),
  querystring: { type: 'object', properties: { explain: string('true adds the evidence for every field.', 'true') } },
  response: {
    200: envelope('The record.', ipRecord, ipMeta),
    400: envelope('Not an address.', error('invalid IP address', 'INVALID_IP')),
    404: envelope(
      'Special-purpose or unannounced address.',
      error(
        'no data found for IP',
        'NOT_FOUND',
        details({
          prefix: string('The special-purpose range.', '10.0.0.0/8'),
          name: string('What it is for.', 'Private use'),
          rfc: string('Where that is written.', 'RFC 1918'),
        }),
      ),
      object({
        cache_status: { type: 'string', const: 'MISS' },
        dataset_version: integer('Version of the dataset that answered.'),
        processing_time_ms: processingTime,
      }),
    ),
    ...refusals,
  },
};

export const batch = {
  operationId: 'lookUpBatch',
  summary: 'Look up many addresses',
  description:
    'One request of the quota, whatever its size. Free 10, Starter 100, Pro 500, Enterprise 1,000 addresses.',
  tags: ['IP'],
  security,
  body: {
    type: 'object',
    properties: { ips: { type: 'array', minItems: 1, items: string('IPv4 or IPv6 address.', '8.8.8.8') } },
    required: ['ips'],
    examples: [{ ips: ['8.8.8.8', '10.0.0.1', 'nonsense'] }],
  },
  response: {
    200: envelope(
      'An entry per distinct submitted text.',
      {
        type: 'object',
        additionalProperties: {
          oneOf: [ipRecord, error('invalid IP address', 'INVALID_IP'), error('no data found for IP', 'NOT_FOUND')],
        },
      },
      object({ request_id: string('Unique identifier of the request.'), processing_time_ms: processingTime }),
    ),
    400: envelope('Bad body, or more addresses than the tier allows.', {
      type: 'object',
      properties: {
        error: { type: 'string', enum: ['invalid request body', 'batch size exceeds limit'] },
        code: { type: 'string', enum: ['INVALID_REQUEST', 'BATCH_TOO_LARGE'] },
        details: { type: 'object' },
      },
      required: ['error', 'code'],
    }),
    413: envelope('Body over 256 KiB.', error('payload too large', 'PAYLOAD_TOO_LARGE')),
    415: envelope('Body that is not JSON.', error('unsupported media type', 'UNSUPPORTED_MEDIA_TYPE')),
    ...refusals,
  },
};

const searchedAsn = {
  asn: integer('Number of the network.'),
  asn_name: string('Organisation that owns it.', 'Google LLC'),
  country: string('ISO 3166-1 alpha-2.', 'US'),
  rir,
  connection_type: connectionType,
  is_announced: boolean('Whether it announces any prefix.'),
  prefix_count: object({ ipv4: integer('IPv4 prefixes.'), ipv6: integer('IPv6 prefixes.') }),
};
const optionalAsn = {
  handle: string('Short name in the registry, when known.', 'GOOGLE'),
  registered: string('Date of registration, when known.', '2000-03-30'),
  cloud_provider: string('The cloud provider, when it is one.', 'Google Cloud'),
};
const prefixes = named(
  'AnnouncedPrefixes',
  object({
    ipv4: { type: 'array', items: { type: 'string' } },
    ipv6: { type: 'array', items: { type: 'string' } },
  }),
);

export const asn = {
  operationId: 'getAsn',
  summary: 'Look up a network',
  tags: ['ASN'],
  security,
  params: object({ asn: string('AS number, with or without AS.', '15169') }),
  querystring: {
    type: 'object',
    properties: { include_prefixes: string('true adds every announced prefix.', 'true') },
  },
  response: {
    200: envelope(
      'The network.',
      object(
        { ...searchedAsn, address_count: object({ ipv4: integer('IPv4 addresses.') }), ...optionalAsn, prefixes },
        [...Object.keys(optionalAsn), 'prefixes'],
      ),
    ),
    400: envelope('Not an AS number.', error('invalid ASN', 'INVALID_ASN')),
    404: envelope('Unknown or reserved number.', error('no data found for ASN', 'NOT_FOUND')),
    ...refusals,
  },
};

export const asnSearch = {
  operationId: 'searchAsn',
  summary: 'Find networks by name',
  description:
    'Matches name and handle, without regard to case and accents, and the number. Best matches first, then the larger network.',
  tags: ['ASN'],
  security,
  querystring: {
    type: 'object',
    properties: {
      q: string('Required. Text to look for, at most 100 characters.', 'google'),
      limit: string('1 to 100; above 100 means 100. Default 20.', '5'),
    },
  },
  response: {
    200: envelope(
      'What was found.',
      object({
        query: string('The text as sent.', 'google'),
        limit: integer('The limit in effect.'),
        count: integer('Results in this answer.'),
        total: integer('Networks that match.'),
        results: { type: 'array', items: object({ ...searchedAsn, ...optionalAsn }, Object.keys(optionalAsn)) },
      }),
    ),
    400: envelope('Text or limit missing or wrong.', {
      type: 'object',
      properties: {
        error: { type: 'string', enum: ['missing query parameter', 'invalid query parameter', 'invalid limit'] },
        code: { type: 'string', enum: ['MISSING_QUERY', 'INVALID_QUERY', 'INVALID_LIMIT'] },
      },
      required: ['error', 'code'],
    }),
    ...refusals,
  },
};

const strings = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
const policy = { type: 'string', enum: ['none', 'quarantine', 'reject'] };
const publishedPolicy = { type: 'string', enum: ['none', 'quarantine', 'reject', ''] };
const alignment = { type: 'string', enum: ['r', 's'] };
const isValid = boolean('Whether there is no error.');
const findings = strings('`code: explanation`, one per finding.');

const mx = named(
  'MxReport',
  object({ records: strings('Hosts by preference; "." for a null MX.'), is_valid: isValid, errors: findings }),
);
const spf = named(
  'SpfReport',
  object({
    raw: string('The record.', 'v=spf1 mx -all'),
    mechanisms: strings('Every term after the version, as written.'),
    all_qualifier: { type: 'string', enum: ['+', '-', '~', '?', ''] },
    is_valid: isValid,
    is_permissive: boolean('The record ends in +all.'),
    validation_errors: findings,
    dns_lookup_count: integer('DNS lookups that the record needs, over its whole tree.'),
    exceeds_lookups: boolean('More than the 10 of RFC 7208.'),
  }),
);
const dkim = named(
  'DkimReport',
  object({
    selector: string('Name of the selector.', 'google'),
    found: boolean('Whether a key is published there.'),
    raw: string('The record.'),
    key_type: { type: 'string', enum: ['rsa', 'ed25519', ''] },
    key_bits: integer('Size of the key.'),
    is_valid: isValid,
    validation_errors: findings,
  }),
);
const dmarc = named(
  'DmarcReport',
  object({
    raw: string('The record that applies.'),
    version: string('DMARC1.'),
    policy: publishedPolicy,
    subdomain_policy: publishedPolicy,
    effective_policy: policy,
    percentage: integer('pct.'),
    aggregate_report_uris: strings('rua.'),
    forensic_report_uris: strings('ruf.'),
    dkim_alignment: alignment,
    spf_alignment: alignment,
    failure_options: string('fo.', '0'),
    report_interval: integer('ri, in seconds.'),
    organizational_domain: string('RFC 9989 section 4.10.2.', 'example.com'),
    record_domain: string('Where the record was found.', 'example.com'),
    inherited: boolean('The record is of a parent domain.'),
    partial_rollout: boolean('pct is below 100.'),
    no_visibility: boolean('There is no rua.'),
    strength_rating: { type: 'string', enum: ['weak', 'moderate', 'strong'] },
    is_valid: isValid,
    validation_errors: findings,
  }),
);

const record = { found: boolean('Whether the record is published.'), raw: string('The record.') };
const judged = { is_valid: isValid, validation_errors: findings };
const transport = named(
  'TransportReport',
  object({
    mta_sts: object({
      ...record,
      id: string('id of the record.', '20260101T000000'),
      policy_found: boolean('Whether the policy could be fetched.'),
      mode: { type: 'string', enum: ['enforce', 'testing', 'none', ''] },
      max_age: integer('Seconds for which senders keep the policy.'),
      mx: strings('Hosts that the policy allows.'),
      ...judged,
    }),
    tls_rpt: object({ ...record, report_uris: strings('rua.'), ...judged }),
    dane: object({
      is_authenticated: boolean('The resolver authenticated the MX records with DNSSEC.'),
      hosts: {
        type: 'array',
        items: object({
          host: string('The MX host.', 'mx.example.com'),
          records: strings('TLSA records, as in a zone file.'),
          is_authenticated: boolean('The resolver authenticated them with DNSSEC.'),
        }),
      },
      ...judged,
    }),
    bimi: object({
      ...record,
      record_domain: string('Whose record it is.', 'example.com'),
      location: string('l=, where the mark is.', 'https://example.com/mark.svg'),
      certificate: string('a=, where the mark certificate is.', 'https://example.com/mark.pem'),
      ...judged,
    }),
    dnssec: object({ is_authenticated: boolean('The resolver authenticated the answers with DNSSEC.'), ...judged }),
  }),
);
const mailNetwork = {
  prefix: string('Announced prefix, or empty.', '192.0.2.0/24'),
  asn: integer('Network that announces it, or 0.'),
  asn_name: string('Its name.', 'Example'),
  country: string('ISO 3166-1 alpha-2, or empty.', 'US'),
  connection_type: { type: 'string', enum: ['residential', 'mobile', 'datacenter', 'business', 'education', ''] },
  threat_level: { type: 'string', enum: ['low', 'medium', 'high', 'critical', ''] },
};
const networks = named(
  'MailNetworks',
  object({
    carriers: {
      type: 'array',
      items: object({
        asn: integer('The network.'),
        asn_name: string('Its name.', 'Example'),
        mx_hosts: integer('MX hosts in it.'),
        ipv4_addresses: integer('Its IPv4 addresses that may send.'),
      }),
      description: 'Networks by how much they carry.',
    },
    mx: {
      type: 'array',
      items: object({
        ...mailNetwork,
        host: string('The MX host.', 'mx.example.com'),
        address: string('One of its addresses.', '192.0.2.1'),
      }),
    },
    senders: {
      type: 'array',
      items: object({
        ...mailNetwork,
        range: string('Addresses that SPF lets send.', '192.0.2.0/24'),
        record_domain: string('Whose SPF record names them.', 'example.com'),
        asn_count: integer('Networks that announce parts of it.'),
      }),
      description: 'At most 100, the largest first.',
    },
    range_count: integer('All ranges.'),
    ipv4_addresses: integer('IPv4 addresses that may send as the domain.'),
    ipv6_48s: integer('IPv6 /48s that may.'),
    open_to_all: boolean('Everyone may.'),
    unlisted_terms: strings('Terms of SPF whose addresses only a receiver can know.'),
    errors: findings,
  }),
);

export const emailDomain = {
  operationId: 'checkEmailDomain',
  summary: 'Check a domain’s mail records',
  description:
    'MX, SPF, DKIM and DMARC with a score, a grade and what to fix first. On request also what protects mail on its way, and the networks that carry it.',
  tags: ['Email'],
  security,
  params: object({ domain: string('A domain name.', 'example.com') }),
  querystring: {
    type: 'object',
    properties: {
      selectors: string(
        'DKIM selectors separated by commas, at most 50. Without it, the common ones are tried.',
        'google,selector1',
      ),
      include: string(
        'What the report also has, separated by commas: transport (MTA-STS, TLS-RPT, DANE, BIMI, DNSSEC), networks (who carries the mail). Neither counts for the score.',
        'transport,networks',
      ),
    },
  },
  response: {
    200: envelope(
      'The report.',
      object(
        {
          domain: string('The checked domain, in A-labels.', 'example.com'),
          domain_auth_score: { type: 'integer', minimum: 0, maximum: 100 },
          grade: { type: 'string', enum: ['A', 'B', 'C', 'D', 'F'] },
          mx,
          spf,
          dkim: { type: 'array', items: dkim },
          dmarc,
          recommendations: strings('What to do, the most rewarding first.'),
          transport,
          networks,
        },
        ['transport', 'networks'],
      ),
    ),
    400: envelope('No domain, not a domain, selectors that are none or too many, or an unknown include.', {
      type: 'object',
      properties: {
        error: {
          type: 'string',
          enum: [
            'missing domain parameter',
            'invalid domain',
            'invalid selector',
            'too many selectors',
            'invalid include',
          ],
        },
        code: {
          type: 'string',
          enum: ['MISSING_DOMAIN', 'INVALID_DOMAIN', 'INVALID_SELECTOR', 'TOO_MANY_SELECTORS', 'INVALID_INCLUDE'],
        },
        details: {
          type: 'object',
          properties: { limit: integer('The most that are taken.'), allowed: strings('What can be included.') },
        },
      },
      required: ['error', 'code'],
    }),
    ...refusals,
    503: envelope(
      'DNS does not answer, storage is down, there is no dataset for networks, or the server is overloaded.',
      {
        type: 'object',
        properties: {
          error: {
            type: 'string',
            enum: ['DNS unavailable', 'storage unavailable', 'dataset unavailable', 'overloaded'],
          },
          code: {
            type: 'string',
            enum: ['DNS_UNAVAILABLE', 'STORAGE_UNAVAILABLE', 'DATASET_UNAVAILABLE', 'OVERLOADED'],
          },
        },
        required: ['error', 'code'],
      },
    ),
  },
};

const share = (description: string) => ({ type: 'number', minimum: 0, maximum: 1, description });
const familyFigures = (unit: string) =>
  object({
    announced: integer(`How many ${unit} are announced.`),
    answered_share: share('Share of them that is answered; the rest is special-purpose space.'),
    country_share: share('Share of the answered whose country is known.'),
    country_confirmed_share: share('Share of the answered whose country two independent sources name.'),
    exact_rir_share: share('Share of the answered whose registry comes from a delegated file.'),
    connection_type_share: share('Share of the answered whose connection type a source decided.'),
    connection_type_from: object({
      list: share('Share of the answered whose connection type comes from a list.'),
      table: share('From a table written by hand, or the overrides.'),
      rule: share('From a rule on names.'),
      none: share('From nothing: the default.'),
    }),
  });

const spaceFigures = {
  ipv4_addresses: integer('IPv4 addresses that have it.'),
  ipv6_48s: { type: 'number', description: 'IPv6 /48s that have it.' },
};

export const dataset = {
  operationId: 'getDataset',
  summary: 'Which dataset answers?',
  description: 'The version that is served, how old it is, what it is made of, and all versions that are kept.',
  tags: ['Dataset'],
  security,
  response: {
    200: envelope(
      'The version that is served.',
      object({
        version: integer('Number of the version, as in meta.dataset_version of a lookup.'),
        built_at: string('When it was built.', '2026-11-15T05:26:11.551Z'),
        age_seconds: integer('Seconds since then.'),
        sources: list(
          object({
            id: string('Name of the source.', 'npm-dbip-country'),
            as_of: string('Date of the source.', '2026-06-01'),
            licence: string('Its licence.', 'CC BY 4.0'),
            credit: string('What its licence asks to be shown.', 'IP Geolocation by DB-IP (https://db-ip.com)'),
            records: integer('Rows that were read from it.'),
          }),
        ),
        counts: object({
          ipv4_intervals: integer('Runs of IPv4 addresses with one answer.'),
          ipv6_intervals: integer('Runs of IPv6 addresses with one answer.'),
          records: integer('Distinct answers.'),
          tails: integer('Distinct answers, the network aside.'),
          asns: integer('Networks.'),
          ipv4_prefixes: integer('Announced IPv4 prefixes.'),
          ipv6_prefixes: integer('Announced IPv6 prefixes.'),
        }),
        versions: list(
          object({
            version: integer('Number of the version.'),
            built_at: string('When it was built.', '2026-11-15T05:26:11.551Z'),
            bytes: integer('Size of its file.'),
            current: boolean('Whether it is the one that is served.'),
          }),
        ),
        figures: object({
          ipv4: familyFigures('addresses'),
          ipv6: familyFigures('/48s'),
          country_agreement: list(
            object({
              sources: list(string('Name of a source.', 'npm-dbip-country')),
              ipv4_addresses: integer('On how many addresses both name a country.'),
              share: share('Share of them on which it is the same.'),
            }),
          ),
          flags: {
            type: 'object',
            description: 'Per flag, and under threat for every score above 0.',
            additionalProperties: object({ records: integer('Runs of addresses that have it.'), ...spaceFigures }),
          },
          countries: {
            type: 'object',
            description: 'Answered space per country.',
            additionalProperties: object(spaceFigures),
          },
          registries: {
            type: 'object',
            description: 'Answered space per registry.',
            additionalProperties: object(spaceFigures),
          },
        }),
        flag_sources: {
          ...object(Object.fromEntries(FLAG_SUBJECTS.map((subject) => [subject, flagSource]))),
          description: 'What each flag is decided from, and under blocklists what the threat score is.',
        },
        refused: {
          ...list(
            object(
              {
                id: string('Name of the feed.', 'tor-exits'),
                reason: string('Why its newest copy was not used.', 'it is empty'),
                used: string('Date of the older copy that was used instead, if there was one.', '2026-11-14'),
              },
              ['used'],
            ),
          ),
          description: 'Feeds whose newest copy was not used.',
        },
      }),
    ),
    ...refusals,
  },
};

const ipv4Size = { addresses: integer('IPv4 addresses.') };
const ipv6Size = { slash48s: integer('IPv6 /48s; what is smaller counts as one.') };
const count = { count: integer('All of them, however many are listed.') };
const amount = { ipv4: object({ ...count, ...ipv4Size }), ipv6: object({ ...count, ...ipv6Size }) };
const largest = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  ...list(object(properties, optional)),
  description: 'The largest first, at most limit.',
});
const changes = (entry: Record<string, object>, optional: readonly string[] = []) => ({
  ipv4: object({ ...count, ...ipv4Size, largest: largest({ ...entry, ...ipv4Size }, optional) }),
  ipv6: object({ ...count, ...ipv6Size, largest: largest({ ...entry, ...ipv6Size }, optional) }),
});
const cameAndWent = (entry: Record<string, object>) =>
  object({ gained: object(changes(entry)), lost: object(changes(entry)) });

const network = string('A prefix, or first-last where the addresses are none.', '192.0.2.0-192.0.2.130');
const networkName = { asn: integer('Number of the network.'), asn_name: string('Its name.', 'Google LLC') };
const country = string('ISO 3166-1 alpha-2; ZZ when nothing is known.', 'DE');
const comparedVersion = named(
  'ComparedVersion',
  object({
    version: integer('Number of the version.'),
    built_at: string('When it was built.', '2026-11-15T05:26:11.551Z'),
  }),
);
const labelChange = named(
  'LabelChange',
  object(
    changes(
      {
        network,
        from: string('Absent where there is none.', 'AWS'),
        to: string('Absent where there is none.', 'Azure'),
      },
      ['from', 'to'],
    ),
  ),
);
const networkList = named(
  'NetworkList',
  object({
    ...count,
    largest: largest({ ...networkName, ipv4_addresses: integer('IPv4 addresses it announces.') }),
  }),
);
const sourceState = object({ as_of: string('Date of the source.', '2026-06-01'), records: integer('Rows read.') });

export const datasetDiff = {
  operationId: 'compareDatasetVersions',
  summary: 'What changed between two versions?',
  description:
    'Announced prefixes that came, went or changed hands; addresses that changed country, flag, name or threat level; networks; sources. Counts are exact, lists hold the largest.',
  tags: ['Dataset'],
  security,
  querystring: {
    type: 'object',
    properties: {
      from: string('Required. Number of the older version.', '1'),
      to: string('Required. Number of the newer version.', '2'),
      limit: string('Entries per list, 1 to 1000; above 1000 means 1000. Default 20.', '5'),
    },
  },
  response: {
    200: envelope(
      'The differences.',
      object({
        from: comparedVersion,
        to: comparedVersion,
        limit: integer('The limit in effect.'),
        is_same: boolean('Whether both hold the same, to the byte.'),
        addresses: {
          ...object({ gained: object(amount), lost: object(amount) }),
          description: 'Addresses that one version answers and the other does not.',
        },
        prefixes: {
          ...cameAndWent({ prefix: string('The announced prefix.', '192.0.2.0/24'), ...networkName }),
          description: 'Announced prefixes that one version has and the other has not.',
        },
        origins: {
          ...object(
            changes({
              prefix: string('The announced prefix.', '192.0.2.0/24'),
              from: object(networkName),
              to: object(networkName),
            }),
          ),
          description: 'Prefixes announced in both versions, by another network.',
        },
        countries: {
          ...object({
            ...changes({ network, from: country, to: country }),
            moves: {
              ...list(object({ from: country, to: country, ...amount })),
              description: 'Added up by pair of countries, the most IPv4 addresses first, at most limit.',
            },
          }),
          description: 'Of addresses that both versions answer.',
        },
        levels: {
          ...list(
            object({
              from: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
              to: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
              ...amount,
            }),
          ),
          description: 'How much moved between threat levels, of addresses that both versions answer.',
        },
        flags: {
          ...object(
            Object.fromEntries(
              Object.keys(detection.properties)
                .filter((name) => name.startsWith('is_'))
                .map((name) => [name, cameAndWent({ network, ...networkName })]),
            ),
          ),
          description: 'What only one version answers has no flag in the other.',
        },
        ai_company: labelChange,
        cloud_provider: labelChange,
        networks: object({
          appeared: networkList,
          vanished: networkList,
          renamed: object({
            ...count,
            largest: largest({
              asn: integer('Number of the network.'),
              from: string('Its former name.', 'Facebook, Inc.'),
              to: string('Its name.', 'Meta Platforms, Inc.'),
              ipv4_addresses: integer('IPv4 addresses it announces.'),
            }),
          }),
        }),
        sources: list(
          object({ id: string('Name of the source.'), from: sourceState, to: sourceState }, ['from', 'to']),
        ),
      }),
    ),
    400: envelope('A version that is missing or no number, or a limit that is none.', {
      type: 'object',
      properties: {
        error: { type: 'string', enum: ['invalid dataset version', 'invalid limit'] },
        code: { type: 'string', enum: ['INVALID_VERSION', 'INVALID_LIMIT'] },
      },
      required: ['error', 'code'],
    }),
    404: envelope('No such version.', error('no such dataset version', 'VERSION_NOT_FOUND')),
    ...refusals,
  },
};
