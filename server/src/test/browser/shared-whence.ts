/** A server for the tests that need no settings of their own. Each signs in with accounts of its own. */
import { type ScriptedDnsServer, startScriptedDnsServer } from '@whence/testing/scripted-dns-server';
import { BrowserTest } from './browser.ts';
import { EXAMPLE_ZONE } from './example-zone.ts';

let dns: ScriptedDnsServer | undefined;
let shared: Promise<BrowserTest> | undefined;

export function sharedWhence(): Promise<BrowserTest> {
  shared ??= start();
  return shared;
}

async function start(): Promise<BrowserTest> {
  dns = await startScriptedDnsServer(EXAMPLE_ZONE);
  return BrowserTest.start({ WHENCE_DNS_SERVERS: dns.address });
}

export async function closeSharedWhence(): Promise<void> {
  try {
    await (await shared)?.close();
  } finally {
    await dns?.close();
  }
}
