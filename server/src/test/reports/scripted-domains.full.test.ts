/**
 * Domains whose mail is known, by the API and by the command: their reports are imported as XML,
 * and the verdicts are those that the table of the judge's tests has, beside forged mail too.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { SCRIPTED_DOMAINS } from '@whence/email/test/scripted-domains';
import { scriptedReports, scriptedZone } from '@whence/email/test/scripted-reports';
import { FLOOD } from '@whence/email/test/scripted-streams';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { zip } from '@whence/testing/zip';
import type { SendersAnswer } from '../../email-reports/judgement.ts';
import type { ImportedReport } from '../../email-reports/report-imports.ts';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const NOW = Date.now();
const nameOf = (index: number) => `scripted${index}.example`;
/** The judge's own tests have all of them. */
const SCRIPTED = SCRIPTED_DOMAINS.filter((_, i) => i % 2 === 0);
const DOMAINS = SCRIPTED.map((scripted, i) => ({ ...scripted, name: nameOf(i) }));
const DOMAINS_PER_BODY = 2;
/** One of this number of domains is judged beside forged mail, and by the command. */
const SAMPLE = 7;
const EXIT_CODES = { yes: 0, no: 1, not_enough: 4 };

const folder = new TestFolder();
const ofCommand = new TestFolder();
let dns: ScriptedDnsServer;
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';
let member: DashboardClient;

before(async () => {
  dns = await startScriptedDnsServer(scriptedZone(SCRIPTED, nameOf), { ttl: 3_600 });
  const clock = { nowMs: NOW };
  server = await startInProcess(folder, clock, { WHENCE_DNS_SERVERS: dns.address });
  ({ secret } = await folder.createKey({ permissions: ['reports:read', 'reports:write'] }));
  member = await signedInAs(folder, server.url, 'Mia', 'member');
  // A thread reads a body: several domains share it.
  for (let at = 0; at < DOMAINS.length; at += DOMAINS_PER_BODY)
    await post(Object.fromEntries(DOMAINS.slice(at, at + DOMAINS_PER_BODY).flatMap(filesOf)));
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
  ofCommand.remove();
});

async function ask<Data>(path: string, init: RequestInit = {}): Promise<Data> {
  const headers = { 'X-API-Key': secret };
  const response = await fetch(`${server.url}/v1/email/${path}`, { ...init, headers });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return (JSON.parse(text) as { data: Data }).data;
}

async function post(files: Record<string, string>): Promise<void> {
  const body = new Uint8Array(zip(files));
  const { reports } = await ask<{ reports: ImportedReport[] }>('reports', { method: 'POST', body });
  assert.deepEqual(
    reports.map(({ state, reason }) => `${state} ${reason}`.trim()),
    Object.keys(files).map(() => 'read'),
  );
}

function compare(
  { verdict }: SendersAnswer,
  { answer, senders = [] }: (typeof DOMAINS)[number],
): void {
  const described = JSON.stringify(verdict, null, 1);
  assert.equal(verdict.answer, answer, described);
  assert.equal(verdict.record !== '', answer === 'yes', described);
  const deciding = verdict.reasons.filter(({ weight }) => weight === answer);
  for (const sender of senders)
    assert.ok(
      deciding.some(({ service }) => service === sender),
      described,
    );
}

const filesOf = ({ name, streams }: (typeof DOMAINS)[number]) =>
  Object.entries(scriptedReports(streams, name, NOW)).map(
    ([file, text]) => [`${name}!${file}`, text] as const,
  );

for (const [i, scripted] of DOMAINS.entries()) {
  const { behaviour, name, asked = 'reject', decisions = [], period = 35 } = scripted;
  test(`scripted domain by the API: ${behaviour}`, async () => {
    for (const [service, decision] of decisions)
      await member.get('decideSender', {
        params: { domain: name },
        query: { days: `${period}` },
        body: { service, decision },
      });
    compare(await ask<SendersAnswer>(`domain/${name}/senders?policy=${asked}`), scripted);
    if (i % SAMPLE !== 0) return;
    await post(scriptedReports(FLOOD, name, NOW));
    const beside = await ask<SendersAnswer>(`domain/${name}/senders?policy=${asked}`);
    assert.equal(beside.verdict.answer, scripted.answer, JSON.stringify(beside.verdict, null, 1));
  });
}

test('scripted domains by the command', async (t) => {
  const files = join(ofCommand.dataDir, 'reports');
  mkdirSync(files);
  const sample = DOMAINS.filter((_, i) => i % SAMPLE === 2);
  for (const scripted of sample)
    writeFileSync(join(files, `${scripted.name}.zip`), zip(Object.fromEntries(filesOf(scripted))));
  const environment = { ...ofCommand.environment, WHENCE_DNS_SERVERS: dns.address };
  const wh = (...args: string[]) => runCommand(['email', 'reports', ...args], environment);
  const imported = await wh('import', '--new', '--json', files);
  assert.equal(imported.code, 0, imported.stdout + imported.stderr);

  for (const scripted of sample) {
    const { behaviour, name, answer, asked = 'reject', decisions = [], period = 35 } = scripted;
    await t.test(behaviour, async () => {
      for (const [service, decision] of decisions) {
        const decide = `${service}=${decision}`;
        const decided = await wh(name, '--decide', decide, '--days', `${period}`);
        assert.equal(decided.code, 0, decided.stderr);
      }
      const ran = await wh(name, '--policy', asked, '--json');
      assert.equal(ran.code, EXIT_CODES[answer], ran.stdout + ran.stderr);
      compare(JSON.parse(ran.stdout) as SendersAnswer, scripted);
    });
  }
});
