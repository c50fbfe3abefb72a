/**
 * Every command and every route that changes something leaves an entry in the audit log, with who
 * did it.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { promisify } from 'node:util';
import { Accounts } from '../../accounts/accounts.ts';
import { AuditLog } from '../../audit/audit-log.ts';
import { recordingVersion } from '../../commands/dataset/version-audit.ts';
import { makeFirstKey, makeFirstSetupLink } from '../../commands/serve/first-access.ts';
import type { RouteName, routes } from '../../dashboard/wire/contract.ts';
import type { Storage } from '../../storage/storage.ts';
import type { StoredAuditEntry } from '../../storage/stores/audit-store.ts';
import type { AuditAction } from '../../vocabulary.ts';
import { runCommand } from '../run-command.ts';
import { openTestStorage } from '../storage/engines.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';
import { DashboardClient, makeSetupToken, PASSWORD, signedInAs } from './dashboard-client.ts';

const folder = new TestFolder();
const versions: number[] = [];
/** A version with the same content as the current one is not published. */
const withRoute = (prefix: string) => ({
  ...SAMPLE,
  routes: [...SAMPLE.routes, [prefix, 64496, 'Example'] as const],
});
const nextTurn = promisify(setImmediate);
let server: Awaited<ReturnType<typeof startInProcess>>;
let admin: DashboardClient;
/** Kept open: each connection starts threads. */
let storage: Storage;
let accounts: Accounts;

before(async () => {
  versions.push(folder.publish(), folder.publish(withRoute('4.0.0.0/16')));
  // An update that fails at once: nothing listens there.
  server = await startInProcess(folder, undefined, {
    WHENCE_FEEDS: 'http://127.0.0.1:9/catalogue',
  });
  admin = await signedInAs(folder, server.url, 'Ada', 'admin');
  storage = await openTestStorage(folder.dataDir);
  accounts = new Accounts(storage, new AuditLog(storage.audit));
});
after(async () => {
  // The update writes to the folder until it ends.
  while ((await admin.get('getUpdate')).outcome === 'running') await nextTurn();
  await storage.close();
  await server.close();
  folder.remove();
});

/** Entries that the work has added, the oldest first. */
async function entriesOf(work: () => Promise<unknown>): Promise<StoredAuditEntry[]> {
  const list = () => storage.audit.list({}, 1_000);
  const known = new Set((await list()).map(({ id }) => id));
  await work();
  return (await list()).filter(({ id }) => !known.has(id)).reverse();
}

type Change = {
  readonly action: AuditAction;
  readonly actor?: string;
  readonly run: () => Promise<unknown>;
};
/** Why there is no entry. */
type Unchanged = { readonly because: string };

let names = 0;
const newName = () => `name ${++names}`;
const newKey = { name: 'billing', tier: 'free', permissions: ['ip:read'] };
const createKey = async () => (await admin.get('createKey', { body: newKey })).key.id;
const newChannel = {
  name: 'operators',
  format: 'standard',
  target: 'https://hooks.example.com/1',
  min_severity: 'low',
};
const createChannel = async () =>
  (await admin.get('createChannel', { body: newChannel })).channel.id;
const person = () => accounts.create(newName(), 'member', { name: 'test' }, new Date());
const member = () => signedInAs(folder, server.url, newName(), 'member');
const command = async (...argv: string[]) => {
  const { code, stderr } = await runCommand(argv, folder.environment);
  assert.equal(code, 0, stderr);
};

/** A route that is not a GET and has no line here does not compile. */
type Mutating = {
  [Name in RouteName]: (typeof routes)[Name]['method'] extends 'GET' ? never : Name;
}[RouteName];
const ROUTES: Readonly<Record<Mutating, () => Promise<Change> | Unchanged>> = {
  signIn: async () => {
    const { name } = await person();
    const account = await accounts.findByName(name);
    assert.ok(account);
    const { token } = await accounts.makeResetLink(account, { name: 'test' }, new Date());
    const from = { address: '192.0.2.1', userAgent: '' };
    await accounts.redeem({ token, password: PASSWORD }, from, new Date());
    const client = new DashboardClient(server.url);
    return { action: 'account.signed_in', actor: name, run: () => client.signIn(name) };
  },
  signOut: async () => {
    const client = await member();
    return { action: 'account.signed_out', run: () => client.get('signOut') };
  },
  checkLink: () => ({ because: 'it reads; the token is in the body to keep it out of logs' }),
  redeemLink: async () => {
    const token = await makeSetupToken(folder);
    const body = { token, name: newName(), password: PASSWORD };
    const client = new DashboardClient(server.url);
    return {
      action: 'account.set_up',
      actor: body.name,
      run: () => client.get('redeemLink', { body }),
    };
  },
  changePassword: async () => {
    const client = await member();
    const body = { current_password: PASSWORD, new_password: 'another long password' };
    return {
      action: 'account.password_changed',
      run: () => client.get('changePassword', { body }),
    };
  },
  endSession: async () => {
    const client = await member();
    const [session] = (await client.get('listSessions')).sessions;
    const params = { id: session?.id ?? '' };
    return { action: 'account.session_ended', run: () => client.get('endSession', { params }) };
  },
  endAllSessions: async () => {
    const client = await member();
    return { action: 'account.signed_out_everywhere', run: () => client.get('endAllSessions') };
  },
  changePerson: async () => {
    const params = { id: (await person()).id };
    const run = () => admin.get('changePerson', { params, body: { role: 'viewer' } });
    return { action: 'account.role_changed', actor: 'Ada', run };
  },
  makeResetLink: async () => {
    const params = { id: (await person()).id };
    return {
      action: 'account.reset_link_made',
      actor: 'Ada',
      run: () => admin.get('makeResetLink', { params }),
    };
  },
  invite: async () => ({
    action: 'account.invited',
    actor: 'Ada',
    run: () => admin.get('invite', { body: { role: 'member' } }),
  }),
  revokeLink: async () => {
    const { open } = await admin.get('invite', { body: { role: 'member' } });
    const params = { id: open.id };
    const run = () => admin.get('revokeLink', { params });
    return { action: 'account.link_revoked', actor: 'Ada', run };
  },
  createKey: async () => ({ action: 'key.created', actor: 'Ada', run: createKey }),
  findKey: () => ({ because: 'it reads; the secret is in the body to keep it out of logs' }),
  changeKey: async () => {
    const input = { params: { id: await createKey() }, body: { tier: 'starter' } };
    return { action: 'key.tier_changed', actor: 'Ada', run: () => admin.get('changeKey', input) };
  },
  pauseKey: async () => {
    const params = { id: await createKey() };
    return { action: 'key.paused', actor: 'Ada', run: () => admin.get('pauseKey', { params }) };
  },
  resumeKey: async () => {
    const params = { id: await createKey() };
    await admin.get('pauseKey', { params });
    return { action: 'key.resumed', actor: 'Ada', run: () => admin.get('resumeKey', { params }) };
  },
  revokeKey: async () => {
    const input = { params: { id: await createKey() }, body: { name: newKey.name } };
    return { action: 'key.revoked', actor: 'Ada', run: () => admin.get('revokeKey', input) };
  },
  rotateKey: async () => {
    const input = { params: { id: await createKey() }, body: {} };
    return { action: 'key.rotated', actor: 'Ada', run: () => admin.get('rotateKey', input) };
  },
  tryDomain: () => ({ because: 'it reads; records do not fit into a path' }),
  lookUpBatch: () => ({ because: 'it reads; addresses do not fit into a path' }),
  importReports: () => ({ because: 'reports are facts, and storage has who sent them' }),
  decideSender: () => ({
    because: 'it needs reports and DNS; email-senders.full.test has its entry',
  }),
  watchDomains: async () => {
    const run = () => admin.get('watchDomains', { body: { domains: ['example.com'] } });
    return { action: 'domain.watched', actor: 'Ada', run };
  },
  changeWatched: () => ({ because: 'tags and notes are remarks' }),
  unwatchDomains: async () => {
    const body = { domains: ['example.net'] };
    await admin.get('watchDomains', { body });
    const run = () => admin.get('unwatchDomains', { body });
    return { action: 'domain.unwatched', actor: 'Ada', run };
  },
  checkWatched: () => ({ because: 'it makes a check that comes anyway earlier' }),
  acceptEvent: () => ({ because: 'it needs an event; watched-domains.test has its entry' }),
  createChannel: async () => ({ action: 'channel.created', actor: 'Ada', run: createChannel }),
  changeChannel: async () => {
    const input = { params: { id: await createChannel() }, body: { min_severity: 'high' } };
    return {
      action: 'channel.changed',
      actor: 'Ada',
      run: () => admin.get('changeChannel', input),
    };
  },
  deleteChannel: async () => {
    const params = { id: await createChannel() };
    const run = () => admin.get('deleteChannel', { params });
    return { action: 'channel.deleted', actor: 'Ada', run };
  },
  testChannel: () => ({ because: 'it sends a message, which the list of deliveries shows' }),
  confirmRecipient: () => ({ because: 'it needs a mail server; channels.full.test has its entry' }),
  replayLog: () => ({ because: 'it reads; a log does not fit into a path' }),
  useVersion: async () => {
    const run = () => admin.get('useVersion', { body: { version: versions[0] } });
    return { action: 'dataset.version_used', actor: 'Ada', run };
  },
  startUpdate: async () => ({
    action: 'dataset.update_started',
    actor: 'Ada',
    run: () => admin.get('startUpdate'),
  }),
  chooseUpdates: async () => ({
    action: 'dataset.updates_chosen',
    actor: 'Ada',
    run: () => admin.get('chooseUpdates', { body: { daily: false } }),
  }),
};

for (const [name, prepare] of Object.entries(ROUTES)) {
  test(`audit: route ${name}`, async () => {
    const change = await prepare();
    if ('because' in change) return;
    const entry = (await entriesOf(change.run)).find(({ action }) => action === change.action);
    assert.ok(entry, `${change.action} is not in the audit log`);
    if (change.actor !== undefined) assert.equal(entry.actor, change.actor);
    assert.ok(entry.actorId && entry.address);
  });
}

const READS: Unchanged = { because: 'it reads' };
/**
 * Changes of the dataset run with `recordingVersion`, which is tested below; a build takes minutes.
 */
const PUBLISHES: Unchanged = { because: 'see the test of published versions' };
const IMPORTS: Unchanged = { because: 'reports are facts of others, kept with how they arrived' };
const COMMANDS: Readonly<Record<string, (() => Promise<Change>) | Unchanged>> = {
  serve: { because: 'see the tests of the first key and the first setup link' },
  'key create': async () => ({
    action: 'key.created',
    run: () => command('key', 'create', '--name', newName()),
  }),
  'key list': READS,
  'key find': READS,
  'key show': READS,
  'key usage': READS,
  'key set': async () => {
    const id = await createKey();
    return { action: 'key.tier_changed', run: () => command('key', 'set', id, '--tier', 'pro') };
  },
  'key rotate': async () => {
    const id = await createKey();
    return { action: 'key.rotated', run: () => command('key', 'rotate', id) };
  },
  'key revoke': async () => {
    const id = await createKey();
    return { action: 'key.revoked', run: () => command('key', 'revoke', id) };
  },
  'storage check': READS,
  'storage migrate': { because: 'the copy equals its source, the audit log included' },
  'user create': async () => ({
    action: 'account.created',
    run: () => command('user', 'create', newName()),
  }),
  'user list': READS,
  'user reset-password': async () => {
    const { name } = await person();
    return {
      action: 'account.reset_link_made',
      run: () => command('user', 'reset-password', name),
    };
  },
  'user set-role': async () => {
    const { name } = await person();
    return {
      action: 'account.role_changed',
      run: () => command('user', 'set-role', name, 'viewer'),
    };
  },
  'user set-domains': async () => {
    const { name } = await person();
    return {
      action: 'account.domains_changed',
      run: () => command('user', 'set-domains', name, 'example.com'),
    };
  },
  'user disable': async () => {
    const { name } = await person();
    return { action: 'account.disabled', run: () => command('user', 'disable', name) };
  },
  'user setup-link': async () => ({
    action: 'account.setup_link_made',
    run: () => command('user', 'setup-link'),
  }),
  ip: READS,
  asn: READS,
  prefix: READS,
  'asn search': READS,
  email: READS,
  'email reports': {
    because: 'it reads without --decide, of which email-senders.full.test has the entry',
  },
  'email reports import': IMPORTS,
  'email reports fetch': IMPORTS,
  'watch add': async () => ({
    action: 'domain.watched',
    run: () => command('watch', 'add', 'audit.example'),
  }),
  'watch list': READS,
  'watch remove': async () => {
    await command('watch', 'add', 'removed.example');
    return {
      action: 'domain.unwatched',
      run: () => command('watch', 'remove', 'removed.example'),
    };
  },
  'watch accept': { because: 'it accepts as the route acceptEvent does' },
  'watch run': { because: 'its state is in a file' },
  crawlers: READS,
  'decide check': READS,
  'decide test': READS,
  'decide replay': READS,
  enrich: READS,
  summarize: READS,
  mcp: READS,
  completion: READS,
  sync: READS,
  'dataset build': PUBLISHES,
  'dataset update': PUBLISHES,
  'dataset feeds': READS,
  'dataset list': READS,
  'dataset verify': READS,
  'dataset use': async () => ({
    action: 'dataset.version_used',
    run: () => command('dataset', 'use', String(versions[1])),
  }),
  'dataset publish': { because: 'it writes a copy for other machines and changes nothing here' },
  'dataset pull': PUBLISHES,
  'dataset export': READS,
};

for (const [name, prepare] of Object.entries(COMMANDS)) {
  if (typeof prepare !== 'function') continue;
  test(`audit: whence ${name}`, async () => {
    const { action, run } = await prepare();
    const entry = (await entriesOf(run)).find((one) => one.action === action);
    assert.ok(entry, `${action} is not in the audit log`);
    assert.match(entry.actor, /^command line, /);
    assert.equal(entry.address, undefined);
  });
}

test('audit: no command is missing above', async () => {
  const subcommands = async (path: readonly string[]): Promise<string[]> => {
    const { stdout } = await runCommand([...path, '--help'], folder.environment);
    // The program's own help has its commands in groups.
    const groups = stdout.matchAll(
      /^(?!Arguments|Environment|Examples)[A-Z][a-z ]*:\n((?: {2}.*\n)+)/gm,
    );
    const found = Array.from(groups, ([, listed = '']) => [
      ...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm),
    ])
      .flat()
      .map(([, one = '']) => one)
      .filter((one) => one !== 'help');
    const below = await Promise.all(found.map((one) => subcommands([...path, one])));
    const own =
      path.length > 0 && (found.length === 0 || /^Usage: wh \w+ .*<|^Arguments:/m.test(stdout));
    return [...(own ? [path.join(' ')] : []), ...below.flat()];
  };
  const all = await subcommands([]);
  assert.deepEqual(
    all.filter((one) => !(one in COMMANDS)),
    [],
  );
  assert.ok(all.length > 20, all.join(', '));
});

test('audit: a version that a command publishes, by the command line', async () => {
  const warnings: string[] = [];
  const place = { dataDir: folder.dataDir, storageLocation: folder.dataDir };
  const publish = () => {
    versions.push(folder.publish(withRoute('5.0.0.0/16')));
    return 0 as const;
  };
  const stderr = { write: (text: string | Uint8Array) => void warnings.push(String(text)) };
  const [entry] = await entriesOf(() => recordingVersion(place, stderr, publish));
  assert.deepEqual(
    [entry?.action, entry?.target, warnings],
    ['dataset.version_used', String(versions.at(-1)), []],
  );
  assert.match(entry?.actor ?? '', /^command line, /);
  const [none] = await entriesOf(() => recordingVersion(place, stderr, () => 1));
  assert.equal(none, undefined, 'nothing has changed');
});

test('audit: the first key and the first setup link, by wh serve', async () => {
  const empty = new TestFolder();
  const storage = await openTestStorage(empty.dataDir);
  try {
    const options = { firstKey: 'print', dataDir: empty.dataDir, url: 'http://127.0.0.1' } as const;
    await makeFirstKey(storage, options);
    await makeFirstSetupLink(storage, options);
    const entries = await storage.audit.list({}, 10);
    assert.deepEqual(
      entries.map(({ action, actor }) => [action, actor]),
      [
        ['account.setup_link_made', 'wh serve'],
        ['key.created', 'wh serve'],
      ],
    );
  } finally {
    await storage.close();
    empty.remove();
  }
});
