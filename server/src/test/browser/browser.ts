/**
 * Debian's Chromium against `wh serve` in a process of its own. A page that writes an error to the
 * console, breaks its Content-Security-Policy or asks another host for anything fails its test.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Generous: the machine may be busy with other tests. */
const DEADLINE_MS = 180_000;

/** On a busy machine the server refuses some requests, and the page sends them again. */
const OVERLOADED = /status of 503/;

/** As `skip` of a test. */
export const NO_BROWSER = existsSync(CHROMIUM)
  ? false
  : 'Chromium is not installed (Debian: apt-get install chromium)';

type PageOptions = BrowserContextOptions & {
  /** Its session is that of the page. */
  readonly as?: DashboardClient;
  /**
   * Beginnings of console messages that belong to what the test does, such as a refused sign-in.
   */
  readonly expectedErrors?: readonly RegExp[];
  /** Where the page goes on purpose: an identity provider. */
  readonly otherOrigins?: readonly string[];
};

let browser: Promise<Browser> | undefined;

/** One for all tests of a process. */
function sharedBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
}

export class BrowserTest {
  readonly folder: TestFolder;
  server: ServerProcess;
  readonly #environment: Record<string, string>;
  readonly #browser: Browser;
  /** Pages that are still open: they ask the server, so they are closed before it stops. */
  readonly #open = new Set<() => Promise<void>>();

  private constructor(
    folder: TestFolder,
    server: ServerProcess,
    environment: Record<string, string>,
    browser: Browser,
  ) {
    this.folder = folder;
    this.server = server;
    this.#environment = environment;
    this.#browser = browser;
  }

  static async start(
    environment: Record<string, string> = {},
    prepare: (folder: TestFolder) => unknown = (folder) => folder.publish(),
  ): Promise<BrowserTest> {
    const folder = new TestFolder();
    await prepare(folder);
    const [server, started] = await Promise.all([
      ServerProcess.start(folder, environment),
      sharedBrowser(),
    ]);
    return new BrowserTest(folder, server, environment, started);
  }

  /** The server is killed, and another one starts on the same data, at another address. */
  async crash(): Promise<void> {
    await this.server.stop('SIGKILL');
    this.server = await ServerProcess.start(this.folder, this.#environment);
  }

  get url(): string {
    return this.server.url;
  }

  /** A page with cookies and storage of its own, until the test ends; without one, until all do. */
  async open(
    t: TestContext | undefined,
    { as, expectedErrors = [], otherOrigins = [], ...options }: PageOptions = {},
  ): Promise<Page> {
    const context = await this.#browser.newContext({
      baseURL: this.url,
      // Colours that fade would be measured half-way.
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 900 },
      locale: 'en-GB',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    context.setDefaultTimeout(DEADLINE_MS);
    if (as !== undefined) {
      const [name = '', value = ''] = as.cookie.split('=', 2);
      await context.addCookies([{ name, value, url: this.url }]);
    }
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
    page.on('console', (message) => {
      if (
        message.type() === 'error' &&
        ![OVERLOADED, ...expectedErrors].some((pattern) => pattern.test(message.text()))
      ) {
        faults.push(message.text());
      }
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      const isOwn = origin === this.url || otherOrigins.includes(origin);
      if (protocol.startsWith('http') && !isOwn) faults.push(`asked ${request.url()}`);
    });
    const close = async () => {
      this.#open.delete(close);
      await context.close();
      assert.deepEqual(faults, []);
    };
    this.#open.add(close);
    t?.after(close);
    return page;
  }

  async close(): Promise<void> {
    try {
      for (const close of this.#open) await close();
    } finally {
      await this.server.stop();
      this.folder.remove();
    }
  }
}

export const heading = (page: Page) => page.getByRole('heading', { level: 1 });
