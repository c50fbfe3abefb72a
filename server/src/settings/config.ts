/** The configuration, read from the environment. Only commands read it; everything below takes plain values. */
import { type ProxyVariables, readProxyVariables } from '@whence/dataset/internal/io/download/proxy';
import type { Retention } from '@whence/dataset/internal/versions/retention';
import type { ProviderSettings } from '../accounts/identity-provider.ts';
import { masking, maskText, secretsInUrl } from '../log/masking.ts';
import { SettingError } from '../terminal/exit.ts';
import { hanging, PLAIN, type Style } from '../terminal/style.ts';
import { type FirstKey, type Setting, type Shown, settings } from './settings.ts';
import { unknownNames } from './unknown-names.ts';

export type Config = {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** URL of a PostgreSQL database; undefined for SQLite in the data directory. */
  readonly databaseUrl: string | undefined;
  /** Location of keys, counts and accounts: `databaseUrl`, or else the data directory. */
  readonly storageLocation: string;
  readonly storageGraceSeconds: number;
  readonly datasetUrl: string | undefined;
  readonly keepVersions: Retention;
  readonly workers: number;
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  readonly shutdownDelaySeconds: number;
  readonly firstKey: FirstKey;
  readonly logLevel: string;
  readonly trustProxy: string[];
  readonly corsOrigins: string[];
  /** Whether the server has the MCP endpoint. */
  readonly hasMcp: boolean;
  readonly dnsServers: string[];
  /** File or URL of validated ROA payloads, if configured. */
  readonly rpkiSource: string | undefined;
  /** The folder of RDAP's bootstrap files; undefined if registries must not be asked. */
  readonly rdapBootstrap: URL | undefined;
  /** Path or URL of the feed catalogue; undefined for the built-in one. */
  readonly feeds: string | undefined;
  readonly overrides: string | undefined;
  readonly contact: string | undefined;
  readonly updateSeconds: number | undefined;
  /** Public URL of the server (an origin), if configured. */
  readonly publicUrl: string | undefined;
  /** Whether the dashboard allows lookups without an account. */
  readonly hasPublicLookups: boolean;
  /** Active API keys of one account of the dashboard that is no administrator. */
  readonly keysPerMember: number;
  /** Keys that one such account may create on a day (UTC). */
  readonly memberKeysPerDay: number;
  /** OpenID Connect provider for the dashboard; undefined without WHENCE_OIDC_ISSUER. */
  readonly provider: ProviderSettings | undefined;
  /** Every setting with its current value, for display. */
  readonly inForce: readonly SettingInForce[];
  /** HTTPS_PROXY and related variables, which are not specific to Whence. */
  readonly proxies: ProxyVariables;
  /** Masks the secrets of all settings in a text that others see. */
  readonly mask: (text: string) => string;
  /** Settings that have no effect, a sentence for each. */
  readonly warnings: readonly string[];
};

/** `value` is absent if it may contain a password. */
type SettingInForce = {
  variable: string;
  help: string;
  default: string;
  is_set: boolean;
  is_secret: boolean;
  value?: string;
};

export type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(environment: Environment): Config {
  const read = <T>({ variable, default: fallback, shown, parse }: Setting<T>): T => {
    const text = environment[variable] || fallback;
    try {
      return parse(text);
    } catch (error) {
      const value = shownValue(shown, text);
      const is = value === undefined ? 'set' : JSON.stringify(value);
      throw new SettingError(`${variable} is ${is}, but must be ${(error as Error).message}`);
    }
  };
  const [port, metricsPort] = [read(settings.port), read(settings.metricsPort)];
  if (port === metricsPort && port !== 0)
    throw new SettingError(
      `${settings.port.variable} and ${settings.metricsPort.variable} are both ${port}: change one`,
    );
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
    hasMcp: read(settings.hasMcp),
    dnsServers: read(settings.dnsServers),
    rpkiSource: read(settings.rpkiSource),
    rdapBootstrap: read(settings.hasRdap) ? read(settings.rdapBootstrap) : undefined,
    feeds: read(settings.feeds),
    overrides: read(settings.overrides),
    contact: read(settings.contact),
    updateSeconds: read(settings.updateSeconds),
    publicUrl: read(settings.publicUrl),
    hasPublicLookups: read(settings.hasPublicLookups),
    keysPerMember: read(settings.keysPerMember),
    memberKeysPerDay: read(settings.memberKeysPerDay),
    provider: readProvider(read),
    inForce: Object.values(settings).map((setting) => settingInForce(setting, environment[setting.variable])),
    proxies: readProxyVariables(environment),
    mask: maskOf(environment),
    warnings: warningsOf(environment),
  };
}

/** Masks what is secret in the environment, also where a setting cannot be read. */
export function maskOf(environment: Environment): (text: string) => string {
  const secrets = Object.values<Setting<unknown>>(settings).flatMap(({ variable, shown }) => {
    const text = environment[variable] ?? '';
    if (shown === 'never' && text !== '' && !text.includes('://')) return [text];
    // Some are lists, and a password may have a comma.
    return shown === 'plainly' || shown === undefined ? [] : [text, ...text.split(',')].flatMap(secretsInUrl);
  });
  const proxies = Object.values(readProxyVariables(environment)).flatMap(({ value }) =>
    secretsInUrl(value.includes('://') ? value : `http://${value}`),
  );
  const mask = masking([...secrets, ...proxies]);
  return (text) => mask(maskText(text));
}

function warningsOf(environment: Environment): string[] {
  const { hasRdap, rdapBootstrap } = settings;
  const isUnused = environment[rdapBootstrap.variable] && (environment[hasRdap.variable] || hasRdap.default) !== 'on';
  return [
    ...unknownNames(environment),
    ...(isUnused ? [`${rdapBootstrap.variable} has no effect unless ${hasRdap.variable} is on`] : []),
  ];
}

function readProvider(read: <T>(setting: Setting<T>) => T): ProviderSettings | undefined {
  const issuer = read(settings.providerIssuer);
  if (issuer === undefined) return undefined;
  const [clientId, clientSecret] = [read(settings.providerClientId), read(settings.providerClientSecret)];
  if (clientId === '' || clientSecret === '') {
    const { providerIssuer, providerClientId, providerClientSecret } = settings;
    throw new SettingError(
      `${providerIssuer.variable} is set: set ${providerClientId.variable} and ${providerClientSecret.variable} too`,
    );
  }
  return { issuer, clientId, clientSecret, label: read(settings.providerLabel), role: read(settings.providerRole) };
}

/** The table at the end of `whence --help`. */
export function settingsHelp(style: Style = PLAIN): string {
  const rows = Object.values(settings).map(({ variable, help, default: fallback }) =>
    hanging(`  ${variable.padEnd(25)}  `, 29, `${help}${fallback === '' ? '' : ` (default: ${fallback})`}`, style),
  );
  const proxies = 'HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY: the proxy for downloads, as in other programs';
  return `\n${style.bold('Environment:')}\n${rows.join('')}${hanging('  ', 4, proxies, style)}`;
}

function settingInForce({ variable, help, default: fallback, shown }: Setting<unknown>, text = ''): SettingInForce {
  const value = text === '' && shown !== 'never' ? fallback : shownValue(shown, text);
  const is_secret = value === undefined;
  return { variable, help, default: fallback, is_set: text !== '', is_secret, ...(is_secret ? {} : { value }) };
}

/** Undefined if nothing of it may be shown. */
function shownValue(shown: Shown = 'plainly', text: string): string | undefined {
  if (shown === 'plainly') return text;
  if (shown === 'never') return undefined;
  const values = text.split(',').map((item) => {
    if (!item.includes('://')) return item;
    const url = URL.canParse(item) ? new URL(item) : undefined;
    if (url === undefined || url.origin === 'null' || url.username + url.password + url.search + url.hash !== '')
      return undefined;
    return url.pathname === '/' ? item : `${url.origin}/…`;
  });
  return values.includes(undefined) ? undefined : values.join(',');
}
