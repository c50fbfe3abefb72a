/**
 * The server that the HTTP cases are sent to: a small dataset, a key without a limit, accounts with
 * open sessions.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import {
  createAccount,
  type DashboardSession,
  openSession,
} from '@whence/testing/dashboard-session';
import { ANY_CORE, type PinnedProcesses } from '@whence/testing/pinned-processes';
import { createKey } from '@whence/testing/whence-program';
import { ServerUnderTest } from '../../server-under-test.ts';
import {
  ACCOUNT_ID,
  API_KEY,
  csrfTokenOf,
  KEY_ID,
  MCP_KEYS,
  PEOPLE,
  type Secrets,
  sessionOf,
} from './secrets.ts';

export type HttpSubject = {
  readonly secrets: Secrets;
  start(signal: AbortSignal): Promise<ServerUnderTest>;
};

/**
 * Sets that compare hosts and paths. A refusal is a text instead of an envelope, so these only
 * observe.
 */
const RULES = `sets:
  default: { mode: observe, default: allow, rules: [{ name: a, if: { hosts: admin.example, paths: /admin }, then: deny }] }
  allowing: { mode: observe, default: deny, rules: [{ name: a, if: { paths: /admin }, then: allow }] }
`;

export async function prepareHttpSubject(
  processes: PinnedProcesses,
  dataDir: string,
  stopping: AbortSignal,
): Promise<HttpSubject> {
  const routes = [
    ['1.0.0.0/16', 64500, 'Exämple "Nord" GmbH'],
    ['8.8.8.0/24', 15169, 'Google LLC'],
    ['2001:4860::/32', 15169, 'Google LLC'],
  ] as const;
  publish(dataDir, sampleContent({ routes, countries: [['8.8.8.0/24', 'US']] }), new Date());
  const key = await createKey(processes, dataDir, 'enterprise');
  const dnsScript = fileURLToPath(import.meta.resolve('../../soak/dns/dns-server-process.js'));
  const dns = await processes.start(ANY_CORE, [dnsScript]);
  const rules = join(dataDir, 'rules.yaml');
  writeFileSync(rules, RULES);
  const settings = { WHENCE_DNS_SERVERS: dns.firstLine, WHENCE_RULES: rules };
  const start = (signal: AbortSignal) => ServerUnderTest.start(dataDir, settings, signal);
  // Sessions are stored, so they outlive this process of the server.
  const server = await start(stopping);
  try {
    return {
      secrets: { [API_KEY]: key, ...(await openSessions(processes, dataDir, server.port)) },
      start,
    };
  } finally {
    await server.stop();
  }
}

async function openSessions(
  processes: PinnedProcesses,
  dataDir: string,
  port: number,
): Promise<Secrets> {
  const secrets: Record<string, string> = {};
  for (const person of PEOPLE) {
    const role = person === 'admin' ? 'admin' : 'viewer';
    const session = await openSession(port, await createAccount(processes, dataDir, person, role));
    secrets[sessionOf(person)] = session.cookie.slice(session.cookie.indexOf('=') + 1);
    secrets[csrfTokenOf(person)] = session.csrfToken;
    if (person === 'leaving') secrets[ACCOUNT_ID] = session.accountId;
    if (person !== 'admin') continue;
    secrets[KEY_ID] = (await createDashboardKey(port, session, 'pro')).key.id;
    for (const placeholder of MCP_KEYS)
      secrets[placeholder] = (await createDashboardKey(port, session, 'enterprise')).secret;
  }
  return secrets;
}

/** Not the key of the other cases: one of these may be revoked. */
async function createDashboardKey(
  port: number,
  { cookie, csrfToken }: DashboardSession,
  tier: string,
): Promise<{ key: { id: string }; secret: string }> {
  const origin = `http://127.0.0.1:${port}`;
  const response = await fetch(`${origin}/dashboard/api/keys`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Origin: origin,
      'X-CSRF-Token': csrfToken,
      Cookie: cookie,
    },
    body: JSON.stringify({
      name: 'fuzzed',
      tier,
      permissions: ['ip:read', 'ip:batch', 'asn:read', 'email:read'],
    }),
  });
  if (response.status !== 200)
    throw new Error(`no key was created: ${response.status} ${await response.text()}`);
  const { data } = (await response.json()) as { data: { key: { id: string }; secret: string } };
  return data;
}
