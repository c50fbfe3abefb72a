/**
 * The configuration, read from the environment. Only commands read it; everything below takes plain
 * values.
 */
import { type ProxyVariables, readProxyVariables } from '@whence/dataset/io/proxy';
import type { ProviderSettings } from '../accounts/identity-provider.ts';
import { checksumOf } from '../checksum.ts';
import { closestName } from '../closest-name.ts';
import type { MailboxSettings } from '../email-reports/mailbox/mailbox.ts';
import { masking, maskText, secretsInUrl } from '../log/masking.ts';
import { SettingError } from '../terminal/exit.ts';
import { PROGRAM } from '../terminal/program-name.ts';
import { hanging, PLAIN, type Style } from '../terminal/style.ts';
import type { DataFolder } from './data-folder.ts';
import { type Environment, type Setting, type Shown, settings } from './settings.ts';

const {
  providerIssuer,
  providerClientId,
  providerClientSecret,
  providerRole,
  reportsMailbox,
  reportsMailboxPassword,
  reportsMailboxPasswordFile,
  reportsMailboxMoveTo,
  ...independent
} = settings;

/** What each setting is parsed to; those that depend on others are below. */
type Values = {
  readonly [Name in keyof typeof independent]: ReturnType<(typeof independent)[Name]['parse']>;
};

export type Config = Values & {
  /** Why it is the data directory. */
  readonly dataFolder: DataFolder;
  /** Whether WHENCE_UPDATE decides on updates, and not an administrator in the dashboard. */
  readonly isUpdateSet: boolean;
  /** Location of keys, counts and accounts: `databaseUrl`, or else the data directory. */
  readonly storageLocation: string;
  /** OpenID Connect provider for the dashboard; undefined without WHENCE_OIDC_ISSUER. */
  readonly provider: ProviderSettings | undefined;
  /** Undefined without WHENCE_REPORTS_IMAP. */
  readonly reportMailbox: MailboxSettings | undefined;
  /** Every setting with its current value, for display. */
  readonly inForce: readonly SettingInForce[];
  /**
   * By which replicas compare their settings. Of a secret it has only whether it is set: the
   * checksum is public.
   */
  readonly checksum: string;
  /** HTTPS_PROXY and related variables, which are not specific to Whence. */
  readonly proxies: ProxyVariables;
  readonly mask: (text: string) => string;
  /** Settings that have no effect, a sentence for each. */
  readonly warnings: readonly string[];
};

/**
 * Settings that may differ between replicas: they concern one machine or the building of datasets,
 * or name files that have checksums of their own.
 */
const LOCAL =
  /^WHENCE_(HOST|PORT|DATA_DIR|KEEP_VERSIONS|WORKERS|METRICS_PORT|SHUTDOWN_DELAY|FIRST_KEY|LOG_LEVEL|RULES|OVERRIDES|LOCATION_DB|DNS_LISTEN|FEEDS|CONTACT|UPDATE)$/;

/** `value` is absent if it may contain a password. */
type SettingInForce = {
  variable: string;
  help: string;
  default: string;
  is_set: boolean;
  is_secret: boolean;
  value?: string;
};

/** `folder` is the data directory of a command, which may not be the one of the settings. */
export function readConfig(environment: Environment, folder?: DataFolder): Config {
  const read = <T>({ variable, default: fallback = '', shown, parse }: Setting<T>): T => {
    const text = environment[variable] || fallback;
    try {
      return parse(text);
    } catch (error) {
      const value = shownValue(shown, text);
      const is = value === undefined ? 'set' : JSON.stringify(value);
      throw new SettingError(`${variable} is ${is}, but must be ${(error as Error).message}`);
    }
  };
  const parsed = Object.entries<Setting<unknown>>(independent).map(([name, setting]) => [
    name,
    read(setting),
  ]);
  const values = Object.fromEntries(parsed) as Values;
  const { port, metrics, dataDir, databaseUrl } = values;
  if (port === metrics?.port && port !== 0)
    throw new SettingError(
      `${settings.port.variable} and ${settings.metrics.variable} are both ${port}: change one`,
    );
  const storageLocation = databaseUrl ?? dataDir;
  const inForce = Object.values<Setting<unknown>>(settings).map((setting) =>
    settingInForce(setting, environment[setting.variable]),
  );
  const shared = inForce.filter(({ variable }) => !LOCAL.test(variable));
  return {
    ...values,
    dataFolder: folder ?? { path: dataDir, origin: 'set', cache: dataDir },
    isUpdateSet: (environment[settings.updateSeconds.variable] ?? '') !== '',
    storageLocation,
    provider: readProvider(read),
    reportMailbox: readMailbox(read),
    inForce,
    checksum: checksumOf(
      shared.map(({ variable, value, is_set }) => `${variable}=${value ?? is_set}`),
    ),
    proxies: readProxyVariables(environment),
    mask: maskOf(environment),
    warnings: unknownNames(environment),
  };
}

/** Masks what is secret in the environment, also where a setting cannot be read. */
export function maskOf(environment: Environment): (text: string) => string {
  const secrets = Object.values<Setting<unknown>>(settings).flatMap(({ variable, shown }) => {
    const text = environment[variable] ?? '';
    if (shown === 'never' && text !== '' && !text.includes('://')) return [text];
    // Some are lists, and a password may have a comma.
    return shown === 'plainly' || shown === undefined
      ? []
      : [text, ...text.split(',')].flatMap(secretsInUrl);
  });
  const proxies = Object.values(readProxyVariables(environment)).flatMap(({ value }) =>
    secretsInUrl(value.includes('://') ? value : `http://${value}`),
  );
  const mask = masking([...secrets, ...proxies]);
  return (text) => mask(maskText(text));
}

function readProvider(read: <T>(setting: Setting<T>) => T): ProviderSettings | undefined {
  const issuer = read(providerIssuer);
  if (issuer === undefined) return undefined;
  const clientId = read(providerClientId);
  const clientSecret = read(providerClientSecret);
  if (clientId === '' || clientSecret === '')
    throw new SettingError(
      `${providerIssuer.variable} is set: set ${providerClientId.variable} and ${providerClientSecret.variable} too`,
    );
  return { issuer, clientId, clientSecret, label: issuer.hostname, role: read(providerRole) };
}

function readMailbox(read: <T>(setting: Setting<T>) => T): MailboxSettings | undefined {
  const mailbox = read(reportsMailbox);
  if (mailbox === undefined) return undefined;
  const password = read(reportsMailboxPassword);
  const passwordFile = read(reportsMailboxPasswordFile);
  if (password === '' && passwordFile === undefined)
    throw new SettingError(
      `${reportsMailbox.variable} is set: set ${reportsMailboxPassword.variable} or ${reportsMailboxPasswordFile.variable} too`,
    );
  return { mailbox, password, passwordFile, moveTo: read(reportsMailboxMoveTo) };
}

/**
 * The table at the end of `wh serve --help`, or of `wh --help` with the settings that most people
 * need.
 */
export function settingsHelp(style: Style = PLAIN, which: 'all' | 'common' = 'all'): string {
  const shown = Object.values<Setting<unknown>>(settings).filter(
    ({ isCommon = false }) => isCommon || which === 'all',
  );
  const rows = [...shown, ...(which === 'all' ? [] : COMMANDS_READ)].map(
    ({ variable, help, default: fallback = '' }) =>
      hanging(
        `  ${variable.padEnd(25)}  `,
        29,
        `${help}${fallback === '' ? '' : ` (default: ${fallback})`}`,
        style,
      ),
  );
  const more =
    which === 'all'
      ? 'HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY: the proxy for downloads, as in other programs'
      : `${PROGRAM} serve --help has all settings`;
  return `\n${style.bold('Environment:')}\n${rows.join('')}${hanging('  ', 4, more, style)}`;
}

const COMMANDS_READ: readonly Omit<Setting<never>, 'parse'>[] = [
  { variable: 'WHENCE_URL', help: 'server that commands ask instead of this machine' },
  { variable: 'WHENCE_KEY', help: 'API key for that server' },
];

function settingInForce(
  { variable, help, default: fallback = '', shown }: Setting<unknown>,
  text = '',
): SettingInForce {
  const value = text === '' && shown !== 'never' ? fallback : shownValue(shown, text);
  const is_secret = value === undefined;
  return {
    variable,
    help,
    default: fallback,
    is_set: text !== '',
    is_secret,
    ...(is_secret ? {} : { value }),
  };
}

function shownValue(shown: Shown = 'plainly', text: string): string | undefined {
  if (shown === 'plainly') return text;
  if (shown === 'never') return undefined;
  const values = text.split(',').map((item) => {
    if (!item.includes('://')) return item;
    const url = URL.canParse(item) ? new URL(item) : undefined;
    if (
      url === undefined ||
      url.origin === 'null' ||
      url.username + url.password + url.search + url.hash !== ''
    )
      return undefined;
    return url.pathname === '/' ? item : `${url.origin}/…`;
  });
  return values.includes(undefined) ? undefined : values.join(',');
}

/** Variables of the commands that ask a server, of the Compose file, and of the tests. */
const OTHERS = /^WHENCE_(URL|KEY|DOMAIN|FIXTURES|TEST_\w+)$/;
/**
 * Kubernetes gives every container the addresses of its namespace's services, one of which may be
 * called whence.
 */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$/;
const LINK_VALUE = /^(tcp|udp|sctp):\/\//;

const PREFIX = 'WHENCE_';

// Variables that look like settings and are none, such as a mistyped name; a sentence for each.
function unknownNames(environment: Readonly<Record<string, string | undefined>>): string[] {
  const variables = Object.values(settings).map(({ variable }) => variable);
  const unknown = Object.entries(environment).flatMap(([name, value = '']) => {
    const isOurs = /^WHENCE_/i.test(name) && !variables.includes(name) && !OTHERS.test(name);
    return isOurs && !SERVICE_LINK.test(name) && !LINK_VALUE.test(value) ? [name] : [];
  });
  return unknown.map((name) => {
    const withoutPrefix = variables.map((variable) => variable.slice(PREFIX.length));
    const meant = closestName(name.toUpperCase().slice(PREFIX.length), withoutPrefix);
    return `${name} is not a setting and has no effect${meant === undefined ? '' : `: did you mean ${PREFIX}${meant}?`}`;
  });
}
