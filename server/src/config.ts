/** Every setting of the program: variable, default, what it means, how it is read. Only commands read it; below them all values are passed in. */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { staticHost } from '@whence/dataset/static-host';
import { parseServer } from '@whence/email/dns-servers';
import { LOG_LEVELS } from './log.ts';
import { UsageError } from './terminal.ts';

export type Config = {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly datasetUrl: string | undefined;
  readonly keepVersions: number;
  readonly workers: number;
  readonly metricsPort: number | undefined;
  readonly logLevel: string;
  readonly trustProxy: string[];
  readonly dnsServers: string[];
  /** Where the catalogue of feeds is; undefined for the built-in one. */
  readonly feeds: string | undefined;
  readonly overrides: string | undefined;
  readonly contact: string | undefined;
  readonly updateSeconds: number | undefined;
};

type Setting<T> = {
  readonly variable: string;
  readonly default: string;
  readonly help: string;
  /** May hold a password: the value is never shown. */
  readonly isSecret?: boolean;
  /** Throws a sentence about what the value must be. */
  readonly parse: (text: string) => T;
};

const settings: { readonly [K in keyof Config]: Setting<Config[K]> } = {
  host: { variable: 'WHENCE_HOST', default: '127.0.0.1', help: 'address to listen on', parse: (text) => text },
  port: { variable: 'WHENCE_PORT', default: '8080', help: 'port to listen on; 0 picks a free one', parse: parsePort },
  dataDir: {
    variable: 'WHENCE_DATA_DIR',
    default: './whence-data',
    help: 'folder for datasets and the SQLite file',
    parse: (text) => text,
  },
  datasetUrl: {
    variable: 'WHENCE_DATASET_URL',
    default: '',
    help: 'pull published datasets from this folder on a static host instead of building: https:, http: or file:',
    isSecret: true,
    parse: parseDatasetUrl,
  },
  keepVersions: {
    variable: 'WHENCE_KEEP_VERSIONS',
    default: '7',
    help: 'versions of the dataset to keep, the current one included',
    // Two at least: a number is never given twice as long as the newest version is kept beside the current one.
    parse: (text) => parseNumber(text, 2, 1000, 'a number from 2 to 1000'),
  },
  workers: {
    variable: 'WHENCE_WORKERS',
    default: '1',
    help: 'processes that answer; auto is one per core',
    parse: (text) =>
      text === 'auto' ? availableParallelism() : parseNumber(text, 1, 256, 'a number from 1 to 256, or auto'),
  },
  metricsPort: {
    variable: 'WHENCE_METRICS_PORT',
    default: '',
    help: 'port for /metrics, on the same address; none without it',
    parse: (text) => (text === '' ? undefined : parsePort(text)),
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
    help: 'addresses of proxies whose X-Forwarded-For is believed, separated by commas',
    parse: parseProxies,
  },
  dnsServers: {
    variable: 'WHENCE_DNS_SERVERS',
    default: '',
    help: 'DNS servers for the email check, host[:port], separated by commas; the system’s without it',
    parse: parseDnsServers,
  },
  feeds: {
    variable: 'WHENCE_FEEDS',
    default: '',
    help: 'catalogue of feeds for dataset update, a path or a URL; the built-in one without it',
    parse: textOrNothing,
  },
  overrides: {
    variable: 'WHENCE_OVERRIDES',
    default: '',
    help: 'what you know better, a JSON file; overrides.json in the data directory without it',
    parse: textOrNothing,
  },
  contact: {
    variable: 'WHENCE_CONTACT',
    default: '',
    help: 'address or URL that feeds are told in the User-Agent; some want one',
    parse: parseContact,
  },
  updateSeconds: {
    variable: 'WHENCE_UPDATE',
    default: 'off',
    help: 'how often whence serve updates the dataset from its feeds: off, or like 30m, 6h, 1d',
    parse: parseInterval,
  },
};

/** Settings of the contract that this version cannot honour. Ignoring them would put keys where nobody expects them. */
const UNSUPPORTED = ['WHENCE_DATABASE_URL', 'WHENCE_REDIS_URL'];

export type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(environment: Environment): Config {
  for (const variable of UNSUPPORTED) {
    if (environment[variable])
      throw new UsageError(`${variable} is set, but this version does not know it yet: unset it`);
  }
  const read = <T>({ variable, default: fallback, isSecret, parse }: Setting<T>): T => {
    const text = environment[variable] || fallback;
    try {
      return parse(text);
    } catch (error) {
      const shown = isSecret === true ? 'set' : JSON.stringify(text);
      throw new UsageError(`${variable} is ${shown}, but must be ${(error as Error).message}`);
    }
  };
  return {
    host: read(settings.host),
    port: read(settings.port),
    dataDir: read(settings.dataDir),
    datasetUrl: read(settings.datasetUrl),
    keepVersions: read(settings.keepVersions),
    workers: read(settings.workers),
    metricsPort: read(settings.metricsPort),
    logLevel: read(settings.logLevel),
    trustProxy: read(settings.trustProxy),
    dnsServers: read(settings.dnsServers),
    feeds: read(settings.feeds),
    overrides: read(settings.overrides),
    contact: read(settings.contact),
    updateSeconds: read(settings.updateSeconds),
  };
}

/** The table as it stands at the end of `whence --help`. */
export function settingsHelp(): string {
  const rows = Object.values(settings).map(
    ({ variable, help, default: fallback }) =>
      `  ${variable.padEnd(20)} ${help}${fallback === '' ? '' : ` (default: ${fallback})`}`,
  );
  return `\nEnvironment:\n${rows.join('\n')}\n`;
}

function parseDatasetUrl(text: string): string | undefined {
  if (text === '') return undefined;
  staticHost(text);
  return text;
}

function textOrNothing(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** It becomes part of a header. */
function parseContact(text: string): string | undefined {
  if (!/^[\x21-\x7e]{0,200}$/.test(text)) throw new Error('one word of at most 200 ASCII characters');
  return textOrNothing(text);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** A feed is asked at its own interval, however often an update runs. */
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

function parseNumber(text: string, from: number, to: number, words: string): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < from || value > to) throw new Error(words);
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

function parseProxies(text: string): string[] {
  const proxies = parseList(text);
  for (const proxy of proxies) {
    const [address = '', length, ...more] = proxy.split('/');
    const isPrefix =
      length === undefined || (/^[0-9]{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128));
    if (isIP(address) === 0 || !isPrefix || more.length > 0)
      throw new Error('IP addresses or prefixes, separated by commas');
  }
  return proxies;
}
