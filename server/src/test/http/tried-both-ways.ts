/** Tests of changes of mail records by the API, which the command and the page judge alike. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import type { EmailTrial } from '@whence/client/wire';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { TRIED_CHANGES, TRIED_ZONES } from './tried-changes.ts';

const folder = new TestFolder();
let dns: ScriptedDnsServer;
let server: Awaited<ReturnType<typeof startInProcess>>;
let viewer: DashboardClient;
let secret = '';

async function start(): Promise<void> {
  dns = await startScriptedDnsServer(TRIED_ZONES);
  server = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: dns.address });
  ({ secret } = await folder.createKey());
  viewer = await signedInAs(folder, server.url, 'Vera', 'viewer');
}
async function stop(): Promise<void> {
  await server.close();
  await dns.close();
  folder.remove();
}

async function byApi(domain: string, zone: string): Promise<EmailTrial> {
  const response = await fetch(`${server.url}/v1/email/domain/${domain}/try`, {
    method: 'POST',
    headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
    body: JSON.stringify({ zone }),
  });
  return ((await response.json()) as { data: EmailTrial }).data;
}

const riskCodes = ({ risks }: EmailTrial) => [...new Set(risks.map(({ code }) => code))];

/** `isCompared`: whether the command and the page try a change too, by its position. */
export function testTrials(isCompared: (index: number) => boolean): void {
  before(start);
  after(stop);
  for (const [index, [behaviour, domain, zone, risks, note]] of TRIED_CHANGES.entries())
    test(`email try: ${behaviour}`, async () => {
      const api = await byApi(domain, zone);
      assert.deepEqual(riskCodes(api), risks, JSON.stringify(api.risks));
      if (note !== undefined)
        assert.ok(
          api.notes.some((text) => note.test(text)),
          api.notes.join('\n'),
        );
      else assert.deepEqual(api.notes, []);
      if (!isCompared(index)) return;
      // The page pastes lines into the field of a record.
      const page = await viewer.get('tryDomain', { params: { domain }, body: { spf: zone } });
      assert.deepEqual(page, api);
      const environment = { WHENCE_DATA_DIR: folder.dataDir, WHENCE_DNS_SERVERS: dns.address };
      const { code, stdout } = await runCommand(
        ['email', domain, '--try', '-', '--json'],
        environment,
        { input: zone },
      );
      assert.equal(code, risks.length === 0 ? 0 : 1);
      assert.deepEqual(JSON.parse(stdout), api);
    });
}
