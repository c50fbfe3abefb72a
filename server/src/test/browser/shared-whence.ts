/**
 * A server for the tests that need no settings of their own. Each signs in with accounts of its
 * own.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import type { Role } from '../../vocabulary.ts';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { BrowserTest, closeBrowser } from './browser.ts';

/** A domain with something to say about each part, and hostnames of addresses. */
const EXAMPLE_ZONE: Parameters<typeof startScriptedDnsServer>[0] = {
  'example.com': {
    MX: [[10, 'mx.example.com']],
    TXT: ['v=spf1 mx ip4:3.0.0.0/24 include:spf.example.com ~all'],
  },
  'mx.example.com': { A: ['8.8.8.8'] },
  'spf.example.com': { TXT: ['v=spf1 ip4:9.0.0.0/16 -all'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@example.com'] },
  '_mta-sts.example.com': { TXT: ['v=STSv1; id=1;'] },
  '8.8.8.8.in-addr.arpa': { PTR: ['dns.example.com'] },
  'dns.example.com': { A: ['8.8.8.8'] },
  '9.8.8.8.in-addr.arpa': { PTR: ['crawl-1.googlebot.com'] },
  'crawl-1.googlebot.com': { A: ['8.8.8.1'] },
  '10.8.8.8.in-addr.arpa': { fail: 'SERVFAIL' },
  'reported.example': {
    MX: [[10, 'mx.reported.example']],
    TXT: ['v=spf1 ip4:8.8.8.0/28 include:mail.zendesk.com -all'],
  },
  'mx.reported.example': { A: ['8.8.8.1'] },
  '_dmarc.reported.example': { TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@reported.example'] },
  'quiet.example': { TXT: ['v=spf1 -all'] },
  'mail.zendesk.com': { TXT: ['v=spf1 ip4:198.51.100.0/26 -all'] },
  // Two SPF records, and an MX host that does not exist.
  'watched.example': {
    MX: [[10, 'mx.watched.example']],
    TXT: ['v=spf1 -all', 'v=spf1 mx -all'],
  },
  '_dmarc.watched.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@watched.example'] },
  'broken.org': { fail: 'SERVFAIL' },
  '_dmarc.broken.org': { fail: 'SERVFAIL' },
};

/** The rules of the shared server, whose file a test may change and has to restore. */
export const RULES = `sets:
  default:
    default: allow
    rules:
      - { name: office, if: { prefixes: 9.0.0.0/16 }, then: allow }
      - { name: no-tor-login, if: { paths: [/login], flags: tor_exit }, then: deny, status: 451 }
  watched: { mode: observe, default: deny }
lists:
  tor: { flags: tor_exit }
`;
export const rulesFile = () => join(roaFolder ?? '', 'rules.yaml');

let dns: ScriptedDnsServer | undefined;
let roaFolder: string | undefined;
let shared: Promise<BrowserTest> | undefined;

export function sharedWhence(): Promise<BrowserTest> {
  shared ??= start();
  return shared;
}

async function start(): Promise<BrowserTest> {
  dns = await startScriptedDnsServer(EXAMPLE_ZONE);
  roaFolder = mkdtempSync(join(tmpdir(), 'whence-roas-'));
  const roas = join(roaFolder, 'vrps.json');
  // 1.0.0.0/16 is announced by another network.
  writeFileSync(
    roas,
    JSON.stringify({
      roas: [
        { asn: 15169, prefix: '8.8.8.0/24' },
        { asn: 64511, prefix: '1.0.0.0/16' },
      ],
    }),
  );
  writeFileSync(rulesFile(), RULES);
  return BrowserTest.start({
    WHENCE_RULES: rulesFile(),
    WHENCE_DNS_SERVERS: dns.address,
    WHENCE_RPKI: roas,
    // One member creates the keys of all tests.
    WHENCE_MEMBER_KEYS_PER_DAY: '100',
  });
}

let lastSignIn: Promise<unknown> = Promise.resolve();

/**
 * One at a time: the hooks of all files run at once, and a server takes only five sign-ins of one
 * client at a time.
 */
export function sharedSignIn(name: string, role: Role): Promise<DashboardClient> {
  const signIn = async () => {
    const { folder, url } = await sharedWhence();
    return signedInAs(folder, url, name, role);
  };
  const signedIn = lastSignIn.then(signIn);
  lastSignIn = signedIn.catch(() => {});
  return signedIn;
}

/** For the file that runs the tests. */
export function closeAfterAll(): void {
  after(async () => {
    try {
      await (await shared)?.close();
    } finally {
      await dns?.close();
      if (roaFolder !== undefined) rmSync(roaFolder, { recursive: true, force: true });
      // Also after a fault of a page: an open browser would keep the process running.
      await closeBrowser();
    }
  });
}
