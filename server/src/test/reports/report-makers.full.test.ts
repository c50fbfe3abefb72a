/**
 * Reports that Mail::DMARC writes about scripted mail: each message is signed, sent and verified by
 * Perl's mail libraries, and the verdict is what the script knows, before and after the service
 * that does not sign is set up.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'node:test';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import type { SendersAnswer } from '../../email-reports/judgement.ts';
import { runCommand } from '../run-command.ts';
import { TestFolder } from '../test-server.ts';

const PROGRAM = join(import.meta.dirname, '../../../src/test/reports/make-reports.pl');
const isInstalled =
  spawnSync('perl', ['-MMail::DMARC', '-MMail::SPF', '-MMail::DKIM', '-e1']).status === 0;
const skip = isInstalled
  ? false
  : 'needs libmail-dmarc-perl and libmail-spf-perl (npm run test:tools)';
const DAYS = 34;
const FROM = 'example.com';

const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY_RECORD = `v=DKIM1; p=${key.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
const ZONE = {
  [FROM]: {
    TXT: [`v=spf1 ip4:192.0.2.0/28 include:sendgrid.net include:mail.zendesk.com -all`],
    MX: [[10, `mx.${FROM}`]],
  },
  [`mx.${FROM}`]: { A: ['192.0.2.1'] },
  [`_dmarc.${FROM}`]: { TXT: [`v=DMARC1; p=none; rua=mailto:d@${FROM}`] },
  'sendgrid.net': { TXT: ['v=spf1 ip4:198.51.100.0/26 -all'] },
  'mail.zendesk.com': { TXT: ['v=spf1 ip4:198.51.100.64/26 -all'] },
  'lists.example.net': { TXT: ['v=spf1 ip4:203.0.113.5 -all'] },
  ...Object.fromEntries(
    [
      `own._domainkey.${FROM}`,
      `sg._domainkey.${FROM}`,
      `zendesk1._domainkey.${FROM}`,
      'g._domainkey.google.com',
    ].map((name) => [name, { TXT: [KEY_RECORD] }]),
  ),
} as const;

/** Messages of a day, with the class that they have. */
type Mail = {
  readonly address: string;
  readonly envelope: string;
  readonly signers: readonly string[];
  readonly is_altered?: boolean;
  readonly count: number;
  readonly sender: string;
  readonly class: string;
};
const own = `own@${FROM}`;
const mail = (isRepaired: boolean): Mail[] => [
  {
    sender: 'own servers',
    class: 'passes',
    address: '192.0.2.1',
    envelope: FROM,
    signers: [own],
    count: 6,
  },
  {
    sender: 'sendgrid',
    class: 'passes',
    address: '198.51.100.7',
    envelope: 'sendgrid.net',
    count: 4,
    signers: [`sg@${FROM}`],
  },
  {
    sender: 'zendesk',
    class: isRepaired ? 'passes' : 'at_named_service',
    address: '198.51.100.70',
    count: 2,
    envelope: 'mail.zendesk.com',
    signers: isRepaired ? [`zendesk1@${FROM}`] : [],
  },
  {
    sender: '203.0.113.0/24',
    class: 'forwarded',
    address: '203.0.113.5',
    envelope: 'lists.example.net',
    signers: [own],
    is_altered: true,
    count: 1,
  },
  {
    sender: '198.18.0.0/24',
    class: 'passes',
    address: '198.18.0.9',
    envelope: FROM,
    signers: [own],
    count: 1,
  },
  {
    sender: '198.18.1.0/24',
    class: 'not_ours',
    address: '198.18.1.9',
    envelope: 'example.org',
    signers: [],
    count: 3,
  },
];

for (const [state, isRepaired, answer, code] of [
  ['before the repair', false, 'no', 1],
  ['after it', true, 'yes', 0],
] as const)
  test(`reports of Mail::DMARC about scripted senders, ${state}: ${answer}`, {
    skip,
  }, async (t) => {
    const folder = new TestFolder();
    t.after(() => folder.remove());
    const dns = await startScriptedDnsServer(ZONE);
    t.after(() => dns.close());
    const sent = mail(isRepaired);
    await makeReports(folder.dataDir, Number(dns.address.split(':')[1]), sent);
    const wh = (args: readonly string[], input?: string) =>
      runCommand(
        ['email', 'reports', ...args],
        { ...folder.environment, WHENCE_DNS_SERVERS: dns.address },
        {
          ...(input !== undefined && { input }),
        },
      );

    const messages = join(folder.dataDir, 'eml');
    const [first = ''] = readdirSync(messages);
    const signed = readFileSync(join(messages, first), 'utf8');
    const imports = [
      [
        ['import', '--new', '--json', '-'],
        signed.replace('@google.com', '@example.org'),
        { read: 1, unproven: 1 },
      ],
      [['import', '--json', '-'], signed, { read: 1, unproven: 0 }],
      [
        ['import', '--json', join(folder.dataDir, 'gz')],
        undefined,
        { read: DAYS - 1, unproven: 0 },
      ],
    ] as const;
    for (const [args, input, want] of imports) {
      const { code: exit, stdout, stderr } = await wh(args, input);
      assert.equal(exit, 0, stderr);
      const { read, unproven } = JSON.parse(stdout) as typeof want;
      assert.deepEqual({ read, unproven }, want);
    }

    const asked = await wh([FROM, '--json']);
    const {
      verdict,
      services,
      messages: total,
      reports,
    } = JSON.parse(asked.stdout) as SendersAnswer;
    assert.deepEqual([asked.code, verdict.answer, reports], [code, answer, DAYS], asked.stdout);
    assert.equal(total, DAYS * sent.reduce((sum, { count }) => sum + count, 0));
    for (const { sender, class: wanted, count } of sent) {
      const found = services.find(({ id }) => id === sender);
      assert.deepEqual([found?.messages, found?.class], [DAYS * count, wanted], sender);
    }
    assert.equal(services.find(({ id }) => id === '198.18.0.0/24')?.forwarded, DAYS);
    const [reason] = verdict.reasons.filter(({ weight }) => weight === 'no');
    assert.equal(reason?.service, isRepaired ? undefined : 'Zendesk');
  });

async function makeReports(folder: string, port: number, sent: readonly Mail[]): Promise<void> {
  for (const name of ['gz', 'eml']) mkdirSync(join(folder, name));
  const keyFile = join(folder, 'key.pem');
  const config = join(folder, 'mail-dmarc.ini');
  writeFileSync(keyFile, key.privateKey.export({ type: 'pkcs1', format: 'pem' }));
  const settings = [
    [
      'organization',
      'domain=google.com',
      'org_name=google.com',
      'email=noreply-dmarc-support@google.com',
    ],
    ['report_store', 'backend=SQL', `dsn=dbi:SQLite:dbname=${join(folder, 'mail-dmarc.sqlite')}`],
    ['dns', 'timeout=5', 'public_suffix_list=/usr/share/publicsuffix/public_suffix_list.dat'],
    ['smtp', 'hostname=mx.google.com'],
  ];
  writeFileSync(
    config,
    settings.map(([part, ...lines]) => `[${part}]\n${lines.join('\n')}\n`).join(''),
  );
  const today = Math.floor(Date.now() / 86_400_000) * 86_400;
  const script = {
    dns_port: port,
    key_file: keyFile,
    folder,
    domain: FROM,
    reporter: 'g@google.com',
    days: Array.from({ length: DAYS }, (_, i) => today - (DAYS - i) * 86_400 + 43_200),
    mail: sent.map((one) => ({ ...one, from: FROM })),
  };
  const child = spawn('perl', [PROGRAM], {
    env: { ...process.env, MAIL_DMARC_CONFIG_FILE: config },
  });
  child.stdin.end(JSON.stringify(script));
  const [errors, [exit]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  assert.equal(exit, 0, errors);
}
