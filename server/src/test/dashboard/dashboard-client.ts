/**
 * A browser's part in tests of the dashboard: keeps the cookie, sends Origin and the CSRF token, on
 * a real socket.
 */
import assert from 'node:assert/strict';
import { until } from '@whence/testing/until';
import { Accounts } from '../../accounts/accounts.ts';
import { AuditLog } from '../../audit/audit-log.ts';
import type { SignedIn } from '../../dashboard/wire/accounts.ts';
import { type Answer, type RouteName, routes } from '../../dashboard/wire/contract.ts';
import type { Role } from '../../vocabulary.ts';
import { openTestStorage } from '../storage/engines.ts';
import type { TestFolder } from '../test-server.ts';

export type Refused = { error: string; code: string; details?: Record<string, unknown> };

export const PASSWORD = 'correct horse battery';

type Input = {
  params?: Record<string, string>;
  query?: Record<string, string | number>;
  body?: unknown;
  headers?: Record<string, string>;
};

export class DashboardClient {
  readonly url: string;
  cookie = '';
  csrf = 'none';

  constructor(url: string) {
    this.url = url;
  }

  /**
   * Sends what a page of this origin would. `headers` may replace any of it; an empty one is left
   * out.
   */
  async ask(
    name: RouteName,
    { params = {}, query = {}, body, headers = {} }: Input = {},
  ): Promise<Response> {
    const { method, path } = routes[name];
    const target = path.replace(/:(\w+)/g, (_, key: string) =>
      encodeURIComponent(params[key] ?? key),
    );
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) search.set(key, String(value));
    const sent: Record<string, string> = {
      Origin: this.url,
      'Sec-Fetch-Site': 'same-origin',
      'X-CSRF-Token': this.csrf,
      Cookie: this.cookie,
      ...(body === undefined || body instanceof Blob ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    };
    const response = await fetch(`${this.url}${target}${search.size === 0 ? '' : `?${search}`}`, {
      method,
      headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== '')),
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
    });
    const [setCookie] = response.headers.getSetCookie();
    if (setCookie !== undefined) this.cookie = setCookie.split(';', 1)[0] ?? '';
    return response;
  }

  async try(name: RouteName, input: Input = {}): Promise<{ status: number; data: Refused }> {
    const response = await this.ask(name, input);
    const { data } = (await response.json()) as { data: Refused };
    return { status: response.status, data };
  }

  /** `data` of an answer that is expected to be one. */
  async get<Name extends RouteName>(name: Name, input: Input = {}): Promise<Answer<Name>> {
    let response = await this.ask(name, input);
    // A busy machine refuses it, as pages are told.
    await until(`${name} is answered`, async () => {
      if (response.status !== 503) return true;
      response = await this.ask(name, input);
      return false;
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${name}: ${text}`);
    const { data } = JSON.parse(text) as { data: Answer<Name> };
    if (data !== null && typeof data === 'object' && 'csrf_token' in data)
      this.csrf = (data as SignedIn).csrf_token;
    return data;
  }

  signIn(name: string, password = PASSWORD): Promise<SignedIn> {
    return this.get('signIn', { body: { name, password } });
  }
}

/** An account with `PASSWORD`, made as `wh user` and its link make one; signed in. */
export async function signedInAs(
  folder: TestFolder,
  url: string,
  name: string,
  role: Role,
): Promise<DashboardClient> {
  const storage = await openTestStorage(folder.location);
  try {
    const accounts = new Accounts(storage, new AuditLog(storage.audit));
    const actor = { name: 'test' };
    const account = await accounts.create(name, role, actor, new Date());
    const { token } = await accounts.makeResetLink(account, actor, new Date());
    const client = { address: '192.0.2.1', userAgent: '' };
    await accounts.redeem({ token, password: PASSWORD }, client, new Date());
  } finally {
    await storage.close();
  }
  const client = new DashboardClient(url);
  await client.signIn(name);
  return client;
}

/** The token of a new link to set up. */
export async function makeSetupToken(folder: TestFolder, now = new Date()): Promise<string> {
  const storage = await openTestStorage(folder.dataDir);
  try {
    const accounts = new Accounts(storage, new AuditLog(storage.audit));
    return (await accounts.makeSetupLink({ name: 'test' }, now)).token;
  } finally {
    await storage.close();
  }
}
