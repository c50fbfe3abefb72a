/** The settings: variable, default, help text, parser. `config.ts` reads them. */
import { availableParallelism } from 'node:os';
import type { Retention } from '@whence/dataset/versions/retention';
import { isRole } from '../vocabulary.ts';
import {
  emptyToUndefined,
  parseContact,
  parseDatabaseUrl,
  parseDatasetUrl,
  parseDays,
  parseDnsServers,
  parseImapUrl,
  parseInterval,
  parseIssuer,
  parseListenAddress,
  parseMetricsAddress,
  parseNetworks,
  parseNumber,
  parseOrigins,
  parseProxies,
  parsePublicUrl,
  parseRetention,
  parseSmtpUrl,
  parseSwitch,
  parseZone,
} from './parsers.ts';

/**
 * How a value is shown. `masked`: a URL's origin, else as it is. Only plain ones are not masked in
 * what is written.
 */
export type Shown = 'plainly' | 'masked' | 'never';

export type Setting<T> = {
  readonly variable: string;
  readonly default?: string;
  readonly help: string;
  readonly isCommon?: boolean;
  /** Only texts and URLs can carry a secret: required for what is not a number or a switch. */
  readonly shown?: Shown;
  /** Throws an error whose message says what the value must be. */
  readonly parse: (text: string) => T;
};

export type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** What a server does with the key that it creates if there is none. */
export type FirstKey = (typeof FIRST_KEY)[number];
const FIRST_KEY = ['print', 'file', 'off'] as const;

/**
 * Loopback, RFC 1918 and its IPv6 counterparts, link local. The blanks are where the help breaks
 * lines.
 */
const PRIVATE_NETWORKS =
  '127.0.0.0/8, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, ::1, fc00::/7, fe80::/10';

const plainText = (variable: string, fallback: string, help: string) =>
  ({ variable, default: fallback, help, shown: 'plainly', parse: (text: string) => text }) as const;
const numberFrom =
  (from: number, to: number, expected = `a number from ${from} to ${to}`) =>
  (text: string) =>
    parseNumber(text, from, to, expected);
const oneOf =
  <const Text extends string>(words: readonly Text[]) =>
  (text: string): Text => {
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw new Error(`one of ${words.join(', ')}`);
    return word;
  };

export const settings = {
  host: { ...plainText('WHENCE_HOST', '127.0.0.1', 'address to listen on'), isCommon: true },
  port: {
    variable: 'WHENCE_PORT',
    default: '8080',
    help: 'port to listen on; 0 picks a free one',
    isCommon: true,
    parse: numberFrom(0, 65535, 'a port from 0 to 65535'),
  },
  dataDir: {
    ...plainText('WHENCE_DATA_DIR', './whence-data', 'directory for datasets and the SQLite file'),
    isCommon: true,
  },
  databaseUrl: {
    variable: 'WHENCE_DATABASE_URL',
    help: 'postgres:// URL of a database that several replicas share (default: SQLite in the data directory)',
    isCommon: true,
    shown: 'never',
    parse: parseDatabaseUrl,
  },
  storageGraceSeconds: {
    variable: 'WHENCE_STORAGE_GRACE',
    default: '60',
    help: 'seconds for which known keys are accepted while storage is unreachable; 0 rejects them immediately',
    parse: numberFrom(0, 3600, 'a number of seconds from 0 to 3600'),
  },
  datasetUrl: {
    variable: 'WHENCE_DATASET_URL',
    help: 'pull published datasets from this https:, http: or file: URL instead of building them',
    shown: 'never',
    parse: parseDatasetUrl,
  },
  keepVersions: {
    variable: 'WHENCE_KEEP_VERSIONS',
    default: '7',
    help: 'versions of the dataset to keep, including the current one: how many, or how old, such as 30d',
    parse: parseRetention,
  },
  workers: {
    variable: 'WHENCE_WORKERS',
    default: '1',
    help: 'worker processes; auto is one per core',
    parse: (text) =>
      text === 'auto'
        ? availableParallelism()
        : parseNumber(text, 1, 256, 'a number from 1 to 256, or auto'),
  },
  metrics: {
    variable: 'WHENCE_METRICS_PORT',
    help: 'port, or address:port, for /metrics; off if unset',
    shown: 'plainly',
    parse: parseMetricsAddress,
  },
  shutdownDelaySeconds: {
    variable: 'WHENCE_SHUTDOWN_DELAY',
    default: '0',
    help: 'seconds between a stop signal, when /readyz starts to answer 503, and the end of listening',
    parse: numberFrom(0, 600, 'a number of seconds from 0 to 600'),
  },
  firstKey: {
    variable: 'WHENCE_FIRST_KEY',
    default: 'print',
    help: 'the key that the first start creates: print it, write it to first-key in the data directory (file), or off',
    shown: 'plainly',
    parse: oneOf(FIRST_KEY),
  },
  logLevel: {
    variable: 'WHENCE_LOG_LEVEL',
    default: 'info',
    help: LOG_LEVELS.join(', '),
    shown: 'plainly',
    parse: oneOf(LOG_LEVELS),
  },
  trustProxy: {
    variable: 'WHENCE_TRUST_PROXY',
    help: 'comma-separated addresses of proxies whose X-Forwarded-For is trusted',
    shown: 'plainly',
    parse: parseProxies,
  },
  corsOrigins: {
    variable: 'WHENCE_CORS_ORIGINS',
    help: 'origins whose pages may call the API, such as https://app.example.com, separated by commas, or *',
    shown: 'masked',
    parse: parseOrigins,
  },
  dnsServers: {
    variable: 'WHENCE_DNS_SERVERS',
    help: 'DNS servers for the email check and for hostnames, host[:port], comma-separated (default: those of the system)',
    shown: 'plainly',
    parse: parseDnsServers,
  },
  hasSmtpProbe: {
    variable: 'WHENCE_SMTP_PROBE',
    default: 'off',
    help: 'on allows include=smtp, which connects to the MX hosts of a domain on port 25',
    parse: parseSwitch,
  },
  reportsKeepDays: {
    variable: 'WHENCE_REPORTS_KEEP',
    default: '400d',
    help: 'how long DMARC reports are kept',
    parse: parseDays,
  },
  reportsMailbox: {
    variable: 'WHENCE_REPORTS_IMAP',
    help: 'mailbox from which DMARC reports are fetched every ten minutes, such as imaps://reports@mail.example.com/INBOX',
    shown: 'never',
    parse: parseImapUrl,
  },
  reportsMailboxPassword: {
    variable: 'WHENCE_REPORTS_IMAP_PASSWORD',
    help: 'password for WHENCE_REPORTS_IMAP',
    shown: 'never',
    parse: (text) => text,
  },
  reportsMailboxPasswordFile: {
    variable: 'WHENCE_REPORTS_IMAP_PASSWORD_FILE',
    help: 'file with it, instead of the variable',
    shown: 'plainly',
    parse: emptyToUndefined,
  },
  reportsMailboxMoveTo: {
    variable: 'WHENCE_REPORTS_IMAP_MOVE_TO',
    help: 'folder to which messages with reports are moved once they are read (default: they are marked as seen)',
    shown: 'plainly',
    parse: emptyToUndefined,
  },
  smtpServer: {
    variable: 'WHENCE_SMTP_URL',
    help: 'mail server for alerts and the sender, such as smtp://mx.example.com?from=me@example.com; TLS is required',
    shown: 'never',
    parse: parseSmtpUrl,
  },
  smtpPasswordFile: {
    variable: 'WHENCE_SMTP_PASSWORD_FILE',
    help: 'file with the password for WHENCE_SMTP_URL, instead of one in the URL',
    shown: 'plainly',
    parse: emptyToUndefined,
  },
  alertNetworks: {
    variable: 'WHENCE_ALERT_NETWORKS',
    help: 'networks in which webhooks of alerts may be beside public addresses, separated by commas; http: is allowed there',
    shown: 'plainly',
    parse: parseNetworks,
  },
  rpkiSource: {
    variable: 'WHENCE_RPKI',
    help: 'JSON file of validated ROA payloads that a relying party such as rpki-client writes, or its http(s) URL, for include=routing',
    shown: 'masked',
    parse: emptyToUndefined,
  },
  rules: {
    variable: 'WHENCE_RULES',
    help: 'YAML or JSON file of rules for /v1/decide; a changed file is used within a second',
    shown: 'plainly',
    parse: emptyToUndefined,
  },
  dnsListen: {
    variable: 'WHENCE_DNS_LISTEN',
    help: 'address[:port] on which the DNS zone is answered over UDP and TCP; off if unset',
    shown: 'plainly',
    parse: parseListenAddress,
  },
  dnsAllow: {
    variable: 'WHENCE_DNS_ALLOW',
    default: PRIVATE_NETWORKS,
    help: 'networks whose clients may ask the DNS zone, separated by commas',
    shown: 'plainly',
    parse: parseNetworks,
  },
  dnsZone: {
    variable: 'WHENCE_DNS_ZONE',
    default: 'whence.invalid',
    help: 'name of the DNS zone',
    shown: 'plainly',
    parse: parseZone,
  },
  feeds: {
    variable: 'WHENCE_FEEDS',
    help: 'path or URL of the feed catalogue for dataset update (default: built-in)',
    shown: 'masked',
    parse: emptyToUndefined,
  },
  overrides: {
    variable: 'WHENCE_OVERRIDES',
    help: 'JSON file of overrides (default: overrides.json in the data directory)',
    shown: 'plainly',
    parse: emptyToUndefined,
  },
  locationDb: {
    variable: 'WHENCE_LOCATION_DB',
    help: 'MMDB file of cities (default: DB-IP City Lite, if its feed is enabled)',
    shown: 'plainly',
    parse: emptyToUndefined,
  },
  contact: {
    variable: 'WHENCE_CONTACT',
    help: 'email address or URL for the User-Agent of feed requests; some feeds require one',
    shown: 'masked',
    parse: parseContact,
  },
  updateSeconds: {
    variable: 'WHENCE_UPDATE',
    help: 'how often the server updates the dataset from its feeds: off, or an interval such as 30m, 6h, 1d (default: as chosen in the dashboard)',
    isCommon: true,
    parse: parseInterval,
  },
  publicUrl: {
    variable: 'WHENCE_PUBLIC_URL',
    help: 'public URL of the server, such as https://whence.example.com; for links, cookies and same-origin checks',
    isCommon: true,
    shown: 'masked',
    parse: parsePublicUrl,
  },
  hasPublicLookups: {
    variable: 'WHENCE_PUBLIC_LOOKUPS',
    default: 'off',
    help: 'on allows lookups in the dashboard without an account, and GET /ip without a key, throttled by address',
    parse: parseSwitch,
  },
  memberKeysPerDay: {
    variable: 'WHENCE_MEMBER_KEYS_PER_DAY',
    default: '10',
    help: 'API keys that an account of the dashboard may create on a day (UTC), revoked and rotated ones included; administrators have no limit',
    parse: numberFrom(1, 100_000),
  },
  providerIssuer: {
    variable: 'WHENCE_OIDC_ISSUER',
    help: 'URL of an OpenID Connect provider for signing in to the dashboard',
    shown: 'masked',
    parse: parseIssuer,
  },
  providerClientId: plainText(
    'WHENCE_OIDC_CLIENT_ID',
    '',
    'client id of this server at the provider',
  ),
  providerClientSecret: {
    variable: 'WHENCE_OIDC_CLIENT_SECRET',
    help: 'client secret of this server at the provider',
    shown: 'never',
    parse: (text) => text,
  },
  providerRole: {
    variable: 'WHENCE_OIDC_ROLE',
    default: 'viewer',
    help: 'role of accounts created by signing in through the provider: viewer, member or admin',
    shown: 'plainly',
    parse: (text) => {
      if (!isRole(text)) throw new Error('viewer, member or admin');
      return text;
    },
  },
} satisfies Readonly<
  Record<
    string,
    | Setting<number | boolean | Retention | undefined>
    | (Setting<unknown> & { readonly shown: Shown })
  >
>;
