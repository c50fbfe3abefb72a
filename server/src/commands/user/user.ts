// `wh user …`: dashboard accounts, for users who can read the data directory. People set passwords
// by a one-time link.
import { resolve } from 'node:path';
import { type Account, InvalidAccount } from '../../accounts/account.ts';
import { Accounts } from '../../accounts/accounts.ts';
import { describeOpenLink, linkPath, type MadeLink } from '../../accounts/one-time-links.ts';
import { AuditLog } from '../../audit/audit-log.ts';
import { serverUrl } from '../../http/server/listening.ts';
import type { Config } from '../../settings/config.ts';
import { tellUnknown } from '../../storage/storage-unavailable.ts';
import { type ExitCode, NegativeAnswer, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams, Output } from '../../terminal/output.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { print, type Style, type Terminal } from '../../terminal/style.ts';
import { type Cell, formatTable } from '../../terminal/table.ts';
import type { Role } from '../../vocabulary.ts';
import { withStorage } from '../command-storage.ts';
import { operator } from '../operator.ts';
import { runningServerUrl } from '../serve/running-server.ts';

/** After a link that may have been made: it is not shown, so nothing is lost with it. */
const AGAIN = 'run it again for another one';

type Options = { json?: boolean };
type CreationOptions = Options & { new?: boolean };
type Place = Pick<
  Config,
  'storageLocation' | 'databaseUrl' | 'publicUrl' | 'host' | 'port' | 'dataDir'
>;

type NewAccount = { role: Role; domains?: string };

/** The account has no password until its link is used. */
export async function userCreate(
  place: Place,
  name: string,
  { role, domains: domainList = 'all', ...options }: CreationOptions & NewAccount,
  streams: CommandStreams,
): Promise<ExitCode> {
  return withAccounts(place, options.new, async (accounts) => {
    const account = await accounts
      .create(name, role, operator(), new Date(), { domains: parseDomains(domainList) })
      .catch(
        tellUnknown(
          `the account ${name} was created`,
          `${PROGRAM} user list tells; ${PROGRAM} user reset-password then makes its link`,
        ),
      );
    const made = await accounts
      .makeResetLink(account, operator(), new Date())
      .catch(tellUnknown('the link was made', `run ${PROGRAM} user reset-password ${name}`));
    const { id, domains } = describe(account);
    const link = urlOf(place, made, streams.stderr);
    const text = () =>
      `${account.name} (${role}${limitOf(domains)}) sets a password here, within 24 hours:\n\n  ${link}\n\n`;
    return print(streams, options, { id, name: account.name, role, domains, link }, text);
  });
}

/** Accounts, and one-time links that have not been used: the links themselves are not stored. */
export async function userList(
  place: Place,
  options: Options,
  terminal: Terminal,
): Promise<ExitCode> {
  return withAccounts(place, false, async (accounts) => {
    const people = await accounts.list();
    const links = (await accounts.links.list(new Date())).map((link) =>
      describeOpenLink(link, people),
    );
    return print(terminal, options, { accounts: people.map(describe), links }, (style) => {
      const linkTable = links.length === 0 ? '' : `\n${linksAsText(links, style)}`;
      if (people.length === 0)
        return `there are no accounts; ${PROGRAM} user setup-link makes the first\n${linkTable}`;
      const rows = people.map((account) => {
        const { id, name, role, created_at, last_sign_in_at = 'never', state } = describe(account);
        return [
          id,
          name,
          role,
          created_at.slice(0, 10),
          last_sign_in_at.slice(0, 10),
          stateCell(state, style),
        ];
      });
      const head = ['id', 'name', 'role', 'created', 'signed in', 'state'];
      return formatTable(rows, style, { head }) + linkTable;
    });
  });
}

function linksAsText(links: readonly ReturnType<typeof describeOpenLink>[], style: Style): string {
  const rows = links.map(({ id, kind, role, account, note, created_by, expires_at }) => [
    id,
    kind,
    role,
    account ?? note ?? '',
    created_by,
    expires_at,
  ]);
  const head = ['open link', 'kind', 'role', 'for', 'created by', 'expires'];
  return formatTable(rows, style, { head });
}

export async function userResetPassword(
  place: Place,
  name: string,
  options: Options,
  streams: CommandStreams,
): Promise<ExitCode> {
  return withAccount(place, name, async (accounts, account) => {
    const made = await accounts
      .makeResetLink(account, operator(), new Date())
      .catch(tellUnknown('the link was made', AGAIN));
    const link = urlOf(place, made, streams.stderr);
    const text = () =>
      `${account.name} sets a new password here, within 24 hours:\n\n  ${link}\n\n`;
    return print(streams, options, { id: account.id, link }, text);
  });
}

export async function userChange(
  place: Place,
  name: string,
  change: { role?: Role; isDisabled?: boolean; domains?: readonly string[] },
  options: Options,
  streams: CommandStreams,
): Promise<ExitCode> {
  return withAccount(place, name, async (accounts, account) => {
    const outcome = await accounts
      .change(account, change, operator(), new Date())
      .catch(tellUnknown(`the account ${account.name} is changed`));
    if (outcome === 'last admin') {
      streams.stderr.write(
        `error: ${account.name} is the last administrator; make another one first\n`,
      );
      return 1;
    }
    const now = (await accounts.find(account.id)) ?? account;
    const { id, role, state, domains } = describe(now);
    return print(
      streams,
      options,
      { id, role, state, domains },
      () => `${account.name} is ${role}, ${state}${limitOf(domains)}\n`,
    );
  });
}

/** `all` removes the list. */
export function userSetDomains(
  place: Place,
  name: string,
  text: string,
  options: Options,
  streams: CommandStreams,
): Promise<ExitCode> {
  return userChange(place, name, { domains: parseDomains(text) }, options, streams);
}

/** None for `all`. */
function parseDomains(text: string): string[] {
  return text === 'all' ? [] : text.split(/[\s,]+/).filter((name) => name !== '');
}

function limitOf(domains: readonly string[]): string {
  return domains.length === 0 ? '' : `, for reports of ${domains.join(', ')}`;
}

/**
 * For a new administrator, also where there are others: a user who can run this owns the server.
 */
export async function userSetupLink(
  place: Place,
  options: CreationOptions,
  streams: CommandStreams,
): Promise<ExitCode> {
  return withAccounts(place, options.new, async (accounts) => {
    const made = await accounts
      .makeSetupLink(operator(), new Date())
      .catch(tellUnknown('the link was made', AGAIN));
    const link = urlOf(place, made, streams.stderr);
    return print(streams, options, { link }, () => `${link}\n`);
  });
}

async function withAccounts(
  { storageLocation }: Place,
  isNew: boolean | undefined,
  work: (accounts: Accounts) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withStorage(storageLocation, isNew, async (storage) => {
    try {
      return await work(new Accounts(storage, new AuditLog(storage.audit)));
    } catch (error) {
      throw error instanceof InvalidAccount ? new UsageError(error.message) : error;
    }
  });
}

async function withAccount(
  place: Place,
  name: string,
  work: (accounts: Accounts, account: Account) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withAccounts(place, false, async (accounts) => {
    const account = (await accounts.findByName(name)) ?? (await accounts.find(name));
    if (account === undefined)
      throw new NegativeAnswer(`there is no account ${name}; ${PROGRAM} user list shows them`);
    return work(accounts, account);
  });
}

/**
 * Without a public URL, the address of the server that runs; if none does, the one of the settings,
 * with a note.
 */
function urlOf(
  { publicUrl, host, port, dataDir, databaseUrl }: Place,
  made: MadeLink,
  stderr: Output,
): string {
  const url = publicUrl ?? runningServerUrl(dataDir);
  if (url === undefined && databaseUrl === undefined)
    stderr.write(
      `note: no server uses ${resolve(dataDir)} now; start one before the link is opened\n`,
    );
  return `${url ?? serverUrl(host, port)}${linkPath(made)}`;
}

type State = 'active' | 'has no password yet' | 'disabled';

function stateCell(state: State, { green, yellow, red }: Style): Cell {
  const paints = { active: green, 'has no password yet': yellow, disabled: red };
  return [state, paints[state]];
}

function describe(account: Account) {
  const { id, name, role, createdAt, lastSignInAt, disabledAt, passwordHash, providerSubject } =
    account;
  const isWaiting = passwordHash === undefined && providerSubject === undefined;
  const enabledState: State = isWaiting ? 'has no password yet' : 'active';
  const state: State = disabledAt === undefined ? enabledState : 'disabled';
  return {
    id,
    name,
    role,
    created_at: createdAt.toISOString(),
    domains: account.allowedDomains ?? [],
    ...(lastSignInAt === undefined ? {} : { last_sign_in_at: lastSignInAt.toISOString() }),
    state,
  };
}
