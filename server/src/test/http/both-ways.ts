/**
 * Commands answer alike from the dataset of this machine and from a server: they print the same and
 * end with the same exit code.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { HOSTILE, SHARED_SAMPLE, SHARED_ZONE } from './shared-rules-sample.ts';

const folder = new TestFolder();
let dns: ScriptedDnsServer;
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';

before(async () => {
  folder.publish({ ...SHARED_SAMPLE, tor: [] });
  folder.publish(SHARED_SAMPLE);
  dns = await startScriptedDnsServer(SHARED_ZONE);
  server = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: dns.address });
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
});

/** Zone files for --try. */
const TRIED = join(folder.dataDir, 'tried.zone');
const UNREADABLE = join(folder.dataDir, 'unreadable.zone');
writeFileSync(TRIED, '_dmarc TXT "v=DMARC1; p=none"\n@ MX 10 mx.free-name.example.org.\n');
writeFileSync(UNREADABLE, '@ TXT "v=spf1 -all"\n_dmarc TXT "v=DMARC1\n');

/** Every command that asks a server with `--url`, by what it is asked for. */
const COMMANDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ip: [
    ['8.8.8.8'],
    ['10.0.0.1'],
    ['7.7.7.7'],
    ['::FFFF:8.8.8.8', '2001:4860:0::1'],
    ['8.8.8'],
    [HOSTILE],
    ['8.8.8.8', HOSTILE, '10.0.0.1', '4000::1', '5.0.0.1'],
    ['8.8.8.0/29', '1.0.9.8-1.0.9.10', '1.0.9.9-1.0.9.8'],
    ['8.0.0.0/8', '8.8.8.8'],
    ['--explain', '8.8.8.8'],
    ['--explain', '10.0.0.1'],
    ['--explain', '1.0.9.9', '7.7.7.7'],
    ['--include', 'routing,privacy,location', '1.0.9.9', '10.0.0.1'],
    ['--include', 'routing,hostname', '8.8.8.8', '5.0.0.1'],
    ['--fields', 'ip,flags,threat_score,privacy_kind', '1.0.9.9', '10.0.0.1', 'x'],
    ['--fields', 'nonsense', '8.8.8.8'],
    ['--history', '8.8.8.8', '1.0.9.9'],
    ['--history', '10.0.0.1'],
    ['--history', '8.8.8'],
    ['--dataset-version', '1', '1.0.9.9'],
    ['--dataset-version', '2', '1.0.9.9', '7.7.7.7'],
    ['--dataset-version', '9', '8.8.8.8'],
    ['--dataset-version', '1', '--explain', '8.8.8.8'],
    ['--at', '2001-01-01', '8.8.8.8'],
    ['--at', 'yesterday', '8.8.8.8'],
  ],
  asn: [
    ['15169', 'AS64501'],
    ['AS64499'],
    ['google'],
    ['4294967296', '15169', HOSTILE],
    ['15169', '64499'],
    ['16505-16510', '64499-64499'],
    ['--prefixes', '15169'],
    ['--fields', 'asn_name,country', '15169', '64501', '64499'],
  ],
  'asn search': [
    ['google'],
    ['o', '--limit', '1'],
    ['evil'],
    ['nothing like it'],
    [' '],
    [HOSTILE],
    ['a'.repeat(101)],
  ],
  email: [
    ['good.example'],
    ['parked.example'],
    ['missing.example'],
    ['open.example'],
    ['referring.example'],
    ['evil.example'],
    ['partly.example'],
    ['broken.example'],
    ['not a domain'],
    ['good.example', 'parked.example'],
    [
      'good.example',
      'parked.example',
      'missing.example',
      'evil.example',
      'partly.example',
      'broken.example',
    ],
    ['--include', 'transport,networks', 'good.example'],
    ['--include', 'networks', 'evil.example'],
    ['--selectors', 'mine', 'good.example'],
    ['--only-selectors', 'mine,other', 'good.example'],
    ['--selectors', 'a b', 'good.example'],
    ['--try', TRIED, 'good.example'],
    ['--try', UNREADABLE, 'good.example'],
    ['--try', TRIED, 'broken.example'],
    ['--try', TRIED, 'good.example', 'parked.example'],
    ['--selectors', 'a', '--only-selectors', 'b', 'good.example'],
  ],
};

/**
 * What was asked is the only difference between them: DNS servers, or the server that asked these.
 */
export async function bothWays(argv: readonly string[], options: Parameters<typeof runCommand>[2]) {
  const dnsServers = { WHENCE_DNS_SERVERS: dns.address };
  const local = await runCommand(argv, { ...folder.environment, ...dnsServers }, options);
  // In a folder without a dataset: what is printed can only come from the server.
  const elsewhere = {
    WHENCE_DATA_DIR: '/nonexistent',
    WHENCE_URL: server.url,
    WHENCE_KEY: secret,
  };
  const remote = await runCommand(argv, elsewhere, options);
  const asked = (printed: string) => {
    // A command says where its dataset is, and which flags it lacks; a server says so in /readyz.
    const text = printed.replaceAll(/^(?:dataset: |note: flags ).*\n/gm, '');
    const replaced = text.replaceAll(dns.address, 'SERVER').replaceAll(server.url, 'SERVER');
    // The names have different lengths, so that lines with them are wrapped at other words.
    return replaced === text ? text : replaced.replace(/\s+/g, ' ');
  };
  return [local, remote].map(({ code, stdout, stderr }) => ({
    code,
    stdout: asked(stdout),
    stderr: asked(stderr),
  }));
}

const FORMATS = ['', '--json', '--csv', 'on a terminal'] as const;

/** Registers a test for each command and format. */
export function compareBothWays(): void {
  const commands = Object.entries(COMMANDS).flatMap(([command, cases]) =>
    cases.map((argv) => ({ command, argv })),
  );
  for (const { command, argv } of commands)
    for (const format of FORMATS)
      test(`both ways: wh ${command} ${argv.map((text) => JSON.stringify(text)).join(' ')} ${format}`, async () => {
        const typed = [...command.split(' '), ...(format.startsWith('-') ? [format] : []), ...argv];
        const isOnTerminal = format === 'on a terminal';
        const options = isOnTerminal ? { isTTY: true, columns: 60 } : {};
        const [local, remote] = await bothWays(typed, options);
        assert.deepEqual(remote, local);
        // A failure of the server itself would be equal both ways only by chance.
        assert.doesNotMatch(
          local?.stderr ?? '',
          /cannot reach|is not a Whence server|does not accept/,
        );
      });
}
