/**
 * The settings: variable, default, help text, parser. Only commands read them; everything below takes plain values as
 * arguments.
 */
import { availableParallelism } from 'node:os';
import { parsePrefix, type Range } from '@whence/dataset/prefix';
import { type ProxyVariables, readProxyVariables } from '@whence/dataset/proxy';
import { parseHostUrl } from '@whence/dataset/static-host-url';
import { parseServer } from '@whence/email/dns-servers';
import type { ProviderSettings } from './accounts/identity-provider.ts';
import { isRole, type Role } from './accounts/role.ts';
import { LOG_LEVELS } from './log-levels.ts';
import { UsageError } from './terminal/exit.ts';

/** What becomes of the key that a server makes when there is none. */
export type FirstKey = (typeof FIRST_KEY)[number];
const FIRST_KEY = ['print', 'file', 'off'] as const;

export type Config = {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** URL of a PostgreSQL database; undefined for SQLite in the data directory. */
  readonly databaseUrl: string | undefined;
  /** Where keys, counts and accounts are: `databaseUrl`, or else the data directory. */
  readonly storageLocation: string;
  readonly storageGraceSeconds: number;
  readonly datasetUrl: string | undefined;
  readonly keepVersions: number;
  readonly workers: number;
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  readonly shutdownDelaySeconds: number;
  readonly firstKey: FirstKey;
  readonly logLevel: string;
  readonly trustProxy: string[];
  readonly corsOrigins: string[];
  readonly dnsServers: string[];
  /** Path or URL of the feed catalogue; undefined for the built-in one. */
  readonly feeds: string | undefined;
  readonly overrides: string | undefined;
  readonly contact: string | undefined;
  readonly updateSeconds: number | undefined;
  /** How people reach the server, through a proxy or under a name: an origin. */
  readonly publicUrl: string | undefined;
  /** Whether the dashboard looks up without an account. */
  readonly hasPublicLookUps: boolean;
  /** Where people sign in beside their password; undefined without WHENCE_OIDC_ISSUER. */
  readonly provider: ProviderSettings | undefined;
  /** Every setting as it is, for people. */
  readonly inForce: readonly SettingInForce[];
  /** HTTPS_PROXY and the like, which belong to no program. */
  readonly proxies: ProxyVariables;
};

/** `value` is absent where it may hold a password. */
export type SettingInForce = {
  variable: string;
  help: string;
  default: string;
  is_set: boolean;
  is_secret: boolean;
  value?: string;
};

type Setting<T> = {
  readonly variable: string;
  readonly default: string;
  readonly help: string;
  /** May hold a password: the value is never shown. */
  readonly isSecret?: boolean;
  /** Throws an error whose message says what the value must be. */
  readonly parse: (text: string) => T;
};

type Own = Omit<Config, 'proxies' | 'inForce' | 'storageLocation' | 'provider'> & {
  readonly providerIssuer: URL | undefined;
  readonly providerClientId: string;
  readonly providerClientSecret: string;
  readonly providerLabel: string;
  readonly providerRole: Role;
};

const settings: { readonly [K in keyof Own]: Setting<Own[K]> } = {
  host: { variable: 'WHENCE_HOST', default: '127.0.0.1', help: 'address to listen on', parse: (text) => text },
  port: { variable: 'WHENCE_PORT', default: '8080', help: 'port to listen on; 0 picks a free one', parse: parsePort },
  dataDir: {
    variable: 'WHENCE_DATA_DIR',
    default: './whence-data',
    help: 'directory for datasets and the SQLite file',
    parse: (text) => text,
  },
  databaseUrl: {
    variable: 'WHENCE_DATABASE_URL',
    default: '',
    help: 'postgres:// URL of a database that several replicas share (default: SQLite in the data directory)',
    isSecret: true,
    parse: parseDatabaseUrl,
  },
  storageGraceSeconds: {
    variable: 'WHENCE_STORAGE_GRACE',
    default: '60',
    help: 'seconds for which known keys are answered while storage cannot be reached; 0 refuses at once',
    parse: (text) => parseNumber(text, 0, 3600, 'a number of seconds from 0 to 3600'),
  },
  datasetUrl: {
    variable: 'WHENCE_DATASET_URL',
    default: '',
    help: 'pull published datasets from this https:, http: or file: URL instead of building them',
    isSecret: true,
    parse: parseDatasetUrl,
  },
  keepVersions: {
    variable: 'WHENCE_KEEP_VERSIONS',
    default: '7',
    help: 'versions of the dataset to keep, including the current one',
    // At least 2: keeping the newest version beside the current one prevents its number from being reused.
    parse: (text) => parseNumber(text, 2, 1000, 'a number from 2 to 1000'),
  },
  workers: {
    variable: 'WHENCE_WORKERS',
    default: '1',
    help: 'worker processes; auto is one per core',
    parse: (text) =>
      text === 'auto' ? availableParallelism() : parseNumber(text, 1, 256, 'a number from 1 to 256, or auto'),
  },
  metricsPort: {
    variable: 'WHENCE_METRICS_PORT',
    default: '',
    help: 'port for /metrics; off if unset',
    parse: (text) => (text === '' ? undefined : parsePort(text)),
  },
  metricsHost: {
    variable: 'WHENCE_METRICS_HOST',
    default: '',
    help: 'address for /metrics (default: WHENCE_HOST)',
    parse: (text) => text,
  },
  shutdownDelaySeconds: {
    variable: 'WHENCE_SHUTDOWN_DELAY',
    default: '0',
    help: 'seconds between a signal to stop, when /readyz turns to 503, and the end of listening',
    parse: (text) => parseNumber(text, 0, 600, 'a number of seconds from 0 to 600'),
  },
  firstKey: {
    variable: 'WHENCE_FIRST_KEY',
    default: 'print',
    help: 'the key that the first start makes: print it, write it to first-key in the data directory (file), or off',
    parse: (text) => {
      const value = FIRST_KEY.find((candidate) => candidate === text);
      if (value === undefined) throw new Error(`one of ${FIRST_KEY.join(', ')}`);
      return value;
    },
  },
  logLevel: {
    variable: 'WHENCE_LOG_LEVEL',
    default: 'info',
    help: LOG_LEVELS.join(', '),
    parse: (text) => {
      if (!(LOG_LEVELS as readonly string[]).includes(text)) throw new Error(`one of ${LOG_LEVELS.join(', ')}`);
      return text;
    },
  },
  trustProxy: {
    variable: 'WHENCE_TRUST_PROXY',
    default: '',
    help: 'comma-separated addresses of proxies whose X-Forwarded-For is trusted',
    parse: parseProxies,
  },
  corsOrigins: {
    variable: 'WHENCE_CORS_ORIGINS',
    default: '',
    help: 'origins whose pages may call the API, such as https://app.example.com, separated by commas, or *',
    parse: parseOrigins,
  },
  dnsServers: {
    variable: 'WHENCE_DNS_SERVERS',
    default: '',
    help: 'DNS servers for the email check, host[:port], comma-separated (default: of the system)',
    parse: parseDnsServers,
  },
  feeds: {
    variable: 'WHENCE_FEEDS',
    default: '',
    help: 'path or URL of the feed catalogue for dataset update (default: built-in)',
    parse: emptyToUndefined,
  },
  overrides: {
    variable: 'WHENCE_OVERRIDES',
    default: '',
    help: 'JSON file of overrides (default: overrides.json in the data directory)',
    parse: emptyToUndefined,
  },
  contact: {
    variable: 'WHENCE_CONTACT',
    default: '',
    help: 'email address or URL for the User-Agent of feed requests; some feeds require one',
    parse: parseContact,
  },
  updateSeconds: {
    variable: 'WHENCE_UPDATE',
    default: 'off',
    help: 'how often whence serve updates the dataset from its feeds: off, or an interval such as 30m, 6h, 1d',
    parse: parseInterval,
  },
  publicUrl: {
    variable: 'WHENCE_PUBLIC_URL',
    default: '',
    help: 'how browsers reach the server, such as https://whence.example.com; for links, cookies and same-origin checks',
    parse: parsePublicUrl,
  },
  hasPublicLookUps: {
    variable: 'WHENCE_PUBLIC_LOOKUPS',
    default: 'off',
    help: 'on lets the dashboard look up addresses, networks and domains without an account, throttled by address',
    parse: (text) => {
      if (text !== 'on' && text !== 'off') throw new Error('on or off');
      return text === 'on';
    },
  },
  providerIssuer: {
    variable: 'WHENCE_OIDC_ISSUER',
    default: '',
    help: 'URL of an OpenID Connect provider through which people sign in to the dashboard',
    parse: parseIssuer,
  },
  providerClientId: {
    variable: 'WHENCE_OIDC_CLIENT_ID',
    default: '',
    help: 'client id that the provider gave to this server',
    parse: (text) => text,
  },
  providerClientSecret: {
    variable: 'WHENCE_OIDC_CLIENT_SECRET',
    default: '',
    help: 'client secret that the provider gave to this server',
    isSecret: true,
    parse: (text) => text,
  },
  providerLabel: {
    variable: 'WHENCE_OIDC_LABEL',
    default: 'your organisation',
    help: 'name of the provider on the sign-in page',
    parse: (text) => text,
  },
  providerRole: {
    variable: 'WHENCE_OIDC_ROLE',
    default: 'viewer',
    help: 'role of people who sign in through the provider for the first time: viewer, member or admin',
    parse: (text) => {
      if (!isRole(text)) throw new Error('viewer, member or admin');
      return text;
    },
  },
};

export type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(environment: Environment): Config {
  const read = <T>({ variable, default: fallback, isSecret, parse }: Setting<T>): T => {
    const text = environment[variable] || fallback;
    try {
      return parse(text);
    } catch (error) {
      const shown = isSecret === true ? 'set' : JSON.stringify(text);
      throw new UsageError(`${variable} is ${shown}, but must be ${(error as Error).message}`);
    }
  };
  const [port, metricsPort] = [read(settings.port), read(settings.metricsPort)];
  if (port === metricsPort && port !== 0)
    throw new UsageError(`${settings.port.variable} and ${settings.metricsPort.variable} are both ${port}: change one`);
  const [dataDir, databaseUrl] = [read(settings.dataDir), read(settings.databaseUrl)];
  return {
    host: read(settings.host),
    port,
    dataDir,
    databaseUrl,
    storageLocation: databaseUrl ?? dataDir,
    storageGraceSeconds: read(settings.storageGraceSeconds),
    datasetUrl: read(settings.datasetUrl),
    keepVersions: read(settings.keepVersions),
    workers: read(settings.workers),
    metricsPort,
    metricsHost: read(settings.metricsHost) || read(settings.host),
    shutdownDelaySeconds: read(settings.shutdownDelaySeconds),
    firstKey: read(settings.firstKey),
    logLevel: read(settings.logLevel),
    trustProxy: read(settings.trustProxy),
    corsOrigins: read(settings.corsOrigins),
    dnsServers: read(settings.dnsServers),
    feeds: read(settings.feeds),
    overrides: read(settings.overrides),
    contact: read(settings.contact),
    updateSeconds: read(settings.updateSeconds),
    publicUrl: read(settings.publicUrl),
    hasPublicLookUps: read(settings.hasPublicLookUps),
    provider: readProvider(read),
    inForce: Object.values(settings).map((setting) => settingInForce(setting, environment[setting.variable])),
    proxies: readProxyVariables(environment),
  };
}

function readProvider(read: <T>(setting: Setting<T>) => T): ProviderSettings | undefined {
  const issuer = read(settings.providerIssuer);
  if (issuer === undefined) return undefined;
  const [clientId, clientSecret] = [read(settings.providerClientId), read(settings.providerClientSecret)];
  if (clientId === '' || clientSecret === '') {
    const { providerIssuer, providerClientId, providerClientSecret } = settings;
    throw new UsageError(
      `${providerIssuer.variable} is set: set ${providerClientId.variable} and ${providerClientSecret.variable} too`,
    );
  }
  return { issuer, clientId, clientSecret, label: read(settings.providerLabel), role: read(settings.providerRole) };
}

/** The table at the end of `whence --help`. */
export function settingsHelp(): string {
  const rows = Object.values(settings).map(
    ({ variable, help, default: fallback }) =>
      `  ${variable.padEnd(20)} ${help}${fallback === '' ? '' : ` (default: ${fallback})`}`,
  );
  const proxies = '  HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY: the proxy for downloads, as in other programs';
  return `\nEnvironment:\n${rows.join('\n')}\n${proxies}\n`;
}

/** A URL may hold a password whatever the setting is for. */
function settingInForce(
  { variable, help, default: fallback, isSecret = false }: Setting<unknown>,
  text = '',
): SettingInForce {
  const is_secret = isSecret || (URL.canParse(text) && new URL(text).username + new URL(text).password !== '');
  const value = text || fallback;
  return { variable, help, default: fallback, is_set: text !== '', is_secret, ...(is_secret ? {} : { value }) };
}

function parsePublicUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.origin !== text.replace(/\/$/, '').toLowerCase())
    throw new Error('an origin such as https://whence.example.com, without a path');
  return url.origin;
}

/** What the provider says is believed, so it must come over TLS, or from this machine. */
function parseIssuer(text: string): URL | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url === undefined || (url.protocol !== 'https:' && !isLocal)) throw new Error('an https: URL');
  return url;
}

function parseDatasetUrl(text: string): string | undefined {
  if (text === '') return undefined;
  // Throws if the URL is invalid.
  parseHostUrl(text);
  return text;
}

/** The modes of libpq that can be kept: `allow` and `prefer` fall back to plain text without a word. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

export function parseDatabaseUrl(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text) || new URL(text).pathname.length < 2)
    throw new Error('a URL such as postgres://user:password@host:5432/database');
  const { searchParams } = new URL(text);
  const sslMode = searchParams.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode)) throw new Error(`a URL with sslmode ${SSL_MODES.join(', ')}`);
  if (sslMode === 'verify-ca' && !searchParams.has('sslrootcert'))
    throw new Error('a URL with sslrootcert for sslmode verify-ca');
  return text;
}

function emptyToUndefined(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** The value becomes part of a header. */
function parseContact(text: string): string | undefined {
  if (!/^[\x21-\x7e]{0,200}$/.test(text)) throw new Error('one word of at most 200 ASCII characters');
  return emptyToUndefined(text);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** How often an update runs. Each feed still has its own refresh interval. */
function parseInterval(text: string): number | undefined {
  if (text === 'off') return undefined;
  const [, count, unit = ''] = /^([1-9][0-9]{0,3})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN);
  if (!(seconds >= 60 && seconds <= 30 * 86_400)) throw new Error('off, or an interval from 1m to 30d');
  return seconds;
}

function parsePort(text: string): number {
  return parseNumber(text, 0, 65535, 'a port from 0 to 65535');
}

function parseNumber(text: string, from: number, to: number, expected: string): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < from || value > to) throw new Error(expected);
  return value;
}

function parseList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function parseDnsServers(text: string): string[] {
  const servers = parseList(text);
  try {
    for (const server of servers) parseServer(server);
  } catch {
    throw new Error('IP addresses with or without a port, separated by commas');
  }
  return servers;
}

/** As browsers send them: scheme, host and port, nothing behind them. */
function parseOrigins(text: string): string[] {
  const origins = parseList(text);
  for (const origin of origins) {
    if (origin !== '*' && !(URL.canParse(origin) && new URL(origin).origin === origin))
      throw new Error('origins such as https://app.example.com without a path, separated by commas, or *');
  }
  return origins;
}

function parseProxies(text: string): string[] {
  const proxies = parseList(text);
  for (const proxy of proxies) {
    const range = parsePrefix(proxy);
    if (range === undefined) throw new Error('IP addresses or prefixes, separated by commas');
    if (isTooWide(range))
      throw new Error(
        'the addresses of your own proxies: with a wider IPv4 prefix than /8, or IPv6 than /7, any client could ' +
          'forge its address',
      );
  }
  return proxies;
}

/** Wider than the widest blocks for private use: 10.0.0.0/8 (RFC 1918) and fc00::/7 (RFC 4193). */
function isTooWide({ start, end, version }: Range): boolean {
  const addresses = end - start + 1n;
  if (version === 4) return addresses > 1n << 24n;
  // Proxies are compared in their IPv4-mapped form too: a prefix that contains it means all of IPv4.
  const isAllOfIpv4 = start <= MAPPED_START && end >= MAPPED_END;
  return isAllOfIpv4 || addresses > 1n << 121n;
}

const MAPPED_START = 0xffff_0000_0000n;
const MAPPED_END = 0xffff_ffff_ffffn;
