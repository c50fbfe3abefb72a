/**
 * The route table of the dashboard, walked with every role: who may call what is what the table
 * says, by HTTP.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { type RouteName, routes } from '../../dashboard/wire/contract.ts';
import type { Role } from '../../vocabulary.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { DashboardClient, signedInAs } from './dashboard-client.ts';

type Access = Role | 'public';

/** Written down a second time on purpose: a role that is lowered by mistake fails here. */
const ACCESS: Readonly<Record<RouteName, Access>> = {
  getSession: 'public',
  signIn: 'public',
  signOut: 'viewer',
  checkLink: 'public',
  redeemLink: 'public',
  changePassword: 'viewer',
  listSessions: 'viewer',
  endSession: 'viewer',
  endAllSessions: 'viewer',
  listPeople: 'admin',
  changePerson: 'admin',
  makeResetLink: 'admin',
  listLinks: 'admin',
  invite: 'admin',
  revokeLink: 'admin',
  listKeys: 'viewer',
  createKey: 'member',
  findKey: 'member',
  getKey: 'viewer',
  changeKey: 'member',
  pauseKey: 'member',
  resumeKey: 'member',
  revokeKey: 'member',
  rotateKey: 'member',
  getKeyAudit: 'viewer',
  getOverview: 'viewer',
  getUsage: 'viewer',
  exportUsage: 'viewer',
  getTraffic: 'admin',
  lookUpIp: 'viewer',
  lookUpHostname: 'viewer',
  lookUpHistory: 'viewer',
  lookUpPrefix: 'viewer',
  lookUpAsn: 'viewer',
  searchAsn: 'viewer',
  checkDomain: 'viewer',
  tryDomain: 'viewer',
  lookUpBatch: 'viewer',
  listReports: 'viewer',
  importReports: 'member',
  getSenders: 'viewer',
  getTlsReports: 'viewer',
  decideSender: 'member',
  listWatched: 'viewer',
  watchDomains: 'member',
  changeWatched: 'member',
  unwatchDomains: 'member',
  checkWatched: 'member',
  listEvents: 'viewer',
  acceptEvent: 'member',
  listChannels: 'viewer',
  createChannel: 'admin',
  changeChannel: 'admin',
  deleteChannel: 'admin',
  testChannel: 'admin',
  listDeliveries: 'viewer',
  confirmRecipient: 'public',
  getDataset: 'viewer',
  getDataAges: 'viewer',
  useVersion: 'admin',
  startUpdate: 'admin',
  getUpdate: 'viewer',
  chooseUpdates: 'admin',
  getDatabases: 'admin',
  getRules: 'viewer',
  tryRule: 'viewer',
  replayLog: 'viewer',
  getHealth: 'admin',
  getSettings: 'admin',
  listAudit: 'admin',
  exportAudit: 'admin',
};
const ORDER: readonly Access[] = ['public', 'viewer', 'member', 'admin'];

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
const clients: Partial<Record<Access, DashboardClient>> = {};

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  clients.public = new DashboardClient(server.url);
  for (const role of ['viewer', 'member', 'admin'] as const) {
    clients[role] = await signedInAs(folder, server.url, `the ${role}`, role);
  }
});
after(async () => {
  await server.close();
  folder.remove();
});

for (const name of Object.keys(routes) as RouteName[]) {
  test(`roles: ${name} is for ${ACCESS[name]}`, async () => {
    for (const role of ORDER) {
      const client = clients[role] as DashboardClient;
      const isAllowed = ORDER.indexOf(role) >= ORDER.indexOf(ACCESS[name]);
      // Not carried out where it is allowed: what a change would be about is missing, and refused
      // after the role.
      if (isAllowed && routes[name].method !== 'GET') continue;
      const response = await client.ask(name, { params: { ip: '8.8.8.8', asn: '15169' } });
      const { data } = (await response.json().catch(() => ({ data: {} }))) as {
        data: { code?: string };
      };
      if (isAllowed) assert.notEqual(data.code, 'SIGNED_OUT', `${name} refuses ${role}`);
      if (isAllowed) assert.notEqual(data.code, 'FORBIDDEN', `${name} refuses ${role}`);
      if (!isAllowed)
        assert.equal(
          data.code,
          role === 'public' ? 'SIGNED_OUT' : 'FORBIDDEN',
          `${name} lets ${role} in`,
        );
    }
  });
}

test('roles: no route of the dashboard answers to an API key', async () => {
  const { secret } = await folder.createKey();
  const response = await fetch(`${server.url}/dashboard/api/keys`, {
    headers: { 'X-API-Key': secret },
  });
  assert.equal(response.status, 401);
});

test('roles: a session does not open the API', async () => {
  const { cookie } = clients.admin as DashboardClient;
  const response = await fetch(`${server.url}/v1/ip/8.8.8.8`, { headers: { Cookie: cookie } });
  assert.equal(response.status, 401);
});
