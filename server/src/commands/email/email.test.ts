/** `wh email` for one and many domains, against a scripted DNS server on loopback. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test, { after, before } from 'node:test';
import { rsaPublicKey } from '@whence/email/test/dkim-keys';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { UsageError } from '../../terminal/exit.ts';
import { type EmailOptions, emailCommand } from './email.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-email-'));
const path = (name: string) => join(folder, name);
const key = rsaPublicKey(2048).export({ type: 'spki', format: 'der' });
const otherKey = rsaPublicKey(2048, 0xfd).export({ type: 'spki', format: 'der' });

/** Grade A; and one record less for each grade below. */
const ZONE: ZoneRecords = {
  'good.example': { MX: [[10, 'mx.good.example']], TXT: ['v=spf1 include:spf.good.example -all'] },
  'mx.good.example': { A: ['192.0.2.25'] },
  'spf.good.example': {
    TXT: ['v=spf1 include:a.spf.good.example include:b.spf.good.example -all'],
  },
  'a.spf.good.example': { TXT: ['v=spf1 ip4:192.0.2.0/26 -all'] },
  'b.spf.good.example': { TXT: ['v=spf1 ip4:192.0.2.64/26 -all'] },
  'google._domainkey.good.example': { TXT: [`v=DKIM1; p=${key.toString('base64')}`] },
  '_dmarc.good.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@good.example'] },
  'middling.example': { MX: [[10, 'mx.good.example']], TXT: ['v=spf1 mx -all'] },
  '_dmarc.middling.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@middling.example'] },
  'mine._domainkey.good.example': { TXT: [`v=DKIM1; p=${otherKey.toString('base64')}`] },
  'open.example': { MX: [[10, 'mx.good.example']], TXT: ['v=spf1 +all'] },
  'google._domainkey.open.example': { TXT: [`v=DKIM1; p=${key.toString('base64')}`] },
  '_dmarc.open.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@open.example'] },
  'parked.example': { MX: [[0, '.']], TXT: ['v=spf1 -all'] },
  '_dmarc.parked.example': { TXT: ['v=DMARC1; p=reject'] },
  'partly.example': { MX: [[10, 'mx.good.example']], TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
  'google._domainkey.partly.example': { TXT: [`v=DKIM1; p=${key.toString('base64')}`] },
  '_dmarc.partly.example': { fail: 'SERVFAIL' },
  'refused.example': {
    MX: [[10, 'mx.good.example']],
    TXT: ['v=spf1 mx include:servers.mcsv.net -all'],
  },
  'servers.mcsv.net': { TXT: ['v=spf1 ip4:192.0.2.128/26 -all'] },
  'google._domainkey.refused.example': { TXT: [`v=DKIM1; p=${key.toString('base64')}`] },
  '_dmarc.refused.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@refused.example'] },
  'bad.example': { A: ['192.0.2.1'] },
  'broken.example': { fail: 'SERVFAIL' },
  '_dmarc.broken.example': { fail: 'SERVFAIL' },
};

let dns: ScriptedDnsServer;
before(async () => {
  dns = await startScriptedDnsServer(ZONE);
});
after(async () => {
  await dns.close();
  rmSync(folder, { recursive: true });
});

type Terminal = {
  isTTY?: boolean;
  columns?: number;
  environment?: Record<string, string>;
  stdin?: string;
};

async function email(
  texts: string[],
  options: Partial<EmailOptions> = {},
  terminal: Terminal = {},
) {
  let stdout = '';
  let stderr = '';
  const { isTTY = false, columns = 80, environment = {}, stdin = '' } = terminal;
  const code = await emailCommand(
    texts,
    options,
    { dnsServers: [dns.address], dataDir: folder },
    {
      stdin: () => Readable.from([Buffer.from(stdin)], { objectMode: false }),
      stdout: {
        write: (text) => {
          stdout += text;
        },
        isTTY,
        columns,
      },
      stderr: {
        write: (text) => {
          stderr += text;
        },
        isTTY,
      },
      environment,
    },
  );
  return { code, stdout, stderr };
}

for (const text of [
  'good.example',
  'GOOD.example.',
  'user@good.example',
  'A User <user@good.example>',
  'https://good.example:8443/x?y',
  'good.example/path?x',
  'good.example:25',
  'good.example,',
  '_dmarc.good.example',
  'google._domainkey.good.example.',
  '\u201cgood.example\u201d',
  '"good.example",',
  '<user@good.example>;',
  'mailto:user@good.example',
])
  test(`email: ${text} is understood as its domain`, async () => {
    const { code, stdout } = await email([text], { json: true });
    assert.deepEqual([code, JSON.parse(stdout).domain], [0, 'good.example']);
  });

for (const [behaviour, texts, options, message] of [
  ['no domain at all', ['https://192.0.2.1/'], {}, /^invalid domain: "https:\/\/192/],
  ['two formats', ['good.example'], { csv: true, json: true }, /--csv and --json/],
  [
    'selectors twice',
    ['good.example'],
    { selectors: 'a', onlySelectors: 'b' },
    /cannot be combined/,
  ],
  ['a file that is missing', [path('missing')], {}, /missing"; there is no file with this name$/],
  ['a list that is missing', ['domains.txt'], {}, /"domains.txt"; there is no file with this name/],
  ['empty input', ['-'], {}, /^standard input is empty$/],
  ['a directory', [folder], {}, /^invalid domain: .*; it is a directory; name a file$/],
] as const)
  test(`email: refused: ${behaviour}`, async () => {
    await assert.rejects(email([...texts], options), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  });

test('email: the report fits into 80 columns, except for the record to copy', async () => {
  const { stdout } = await email(
    ['middling.example'],
    {},
    { isTTY: true, environment: { NO_COLOR: '1' } },
  );
  const lines = stdout.split('\n');
  assert.equal(lines[0], 'middling.example: C, 70 of 100');
  assert.deepEqual(
    lines.slice(2, 6).map((line) => line.slice(0, 17)),
    ['MX     10 of 10  ', 'SPF    25 of 25  ', 'DKIM    0 of 30  ', 'DMARC  35 of 35  '],
  );
  const long = lines.filter((line) => line.length > 80 && !/ IN (?:TXT|MX) /.test(line));
  assert.deepEqual(long, []);
});

test('email: a proposed record is alone on its line, whole', async () => {
  const { stdout } = await email(['bad.example']);
  assert.match(stdout, /\n\n_dmarc\.bad\.example\. IN TXT "v=DMARC1; p=reject"\n\n/);
});

test('email: the SPF tree shows what each include costs', async () => {
  const { stdout } = await email(['good.example']);
  const tree = [
    'SPF lookups: 3 of 10',
    '  good.example',
    '    include:spf.good.example (3)',
    '      include:a.spf.good.example',
    '      include:b.spf.good.example',
  ];
  assert.ok(stdout.includes(tree.join('\n')), stdout);
});

for (const [behaviour, terminal, isColoured] of [
  ['on a terminal', { isTTY: true }, true],
  ['not with NO_COLOR', { isTTY: true, environment: { NO_COLOR: '1' } }, false],
  ['not on a dumb terminal', { isTTY: true, environment: { TERM: 'dumb' } }, false],
  ['not in a pipe', {}, false],
] as const)
  test(`email: colour ${behaviour}`, async () => {
    const { stdout } = await email(['good.example'], {}, terminal);
    assert.equal(stdout.includes('\x1b[32mA\x1b[39m'), isColoured);
  });

test('email: several domains are listed worst first, with the grades counted', async () => {
  const { code, stdout } = await email([
    'good.example',
    'broken.example',
    'bad.example',
    'middling.example',
  ]);
  assert.equal(code, 1);
  assert.deepEqual(stdout.replace(/127\.0\.0\.1:\d+/, 'SERVER').split('\n'), [
    '        domain            risk       first step',
    '?       broken.example               DNS unavailable: the name servers of the',
    '                                     domain fail (SERVFAIL, often DNSSEC); other',
    '                                     names are answered (asked SERVER)',
    'F    0  bad.example       no policy  Anyone can send mail as bad.example, which',
    '                                     has an address, but no MX record, no DKIM',
    '                                     key, and no SPF record that names a server.',
    'C   70  middling.example             No DKIM key was found under any common',
    '                                     selector; if you use another one, check',
    '                                     again with its name.',
    'A  100  good.example',
    '',
    '4 domains: 1 not verified, 1 F, 1 C, 1 A',
    '',
  ]);
});

test('email: the table fits into 80 columns, and cuts neither a name nor the first step', async () => {
  const long = `${'a'.repeat(50)}.example`;
  const { stdout } = await email([long, 'bad.example']);
  const lines = stdout.split('\n');
  // A word is never broken.
  assert.ok(lines.every((line) => line.length <= 80 || line.includes(long)));
  assert.ok(stdout.includes(` ${long}\n`) && !stdout.includes('…'));
  const wide = await email(
    ['good.example', 'bad.example'],
    {},
    { isTTY: true, columns: 110, environment: { NO_COLOR: '1' } },
  );
  assert.match(wide.stdout, /^ +domain +risk +MX +SPF +DKIM +DMARC +first step\n/);
  assert.match(wide.stdout, /\nA {2}100 {2}good\.example +ok +-all 3\/10 +2048 +reject\n/);
});

for (const [behaviour, domain, first, code] of [
  [
    'SPF open to everyone, grade B',
    'open.example',
    /^open\.example: anyone can send mail as this domain, because its SPF/,
    1,
  ],
  [
    'no policy',
    'bad.example',
    /^bad\.example: anyone can send mail as this domain, because no DMARC policy/,
    1,
  ],
  [
    'a service whose mail is refused, grade A',
    'refused.example',
    /^refused\.example: receivers refuse what Mailchimp sends as\s+refused\.example, if it\s+still.*\nrefused\.example: A, 100/s,
    1,
  ],
  [
    'set up to send no mail, grade C',
    'parked.example',
    /^parked\.example: C, 70 of 100, set up to send no mail\n/,
    0,
  ],
  [
    'a part that is not known',
    'partly.example',
    /^partly\.example: .\?, 65 of 100, of what could be verified; not known: DMARC\n/,
    4,
  ],
] as const)
  test(`email: the first line and the exit code: ${behaviour}`, async () => {
    const { code: exitCode, stdout } = await email([domain]);
    assert.match(stdout, first);
    assert.equal(exitCode, code);
  });

test('email: a part that DNS did not answer for is neither missing nor zero', async () => {
  const { stdout } = await email(['partly.example']);
  assert.match(stdout, /\nDMARC {3}\? of 35 {2}could not be verified\n/);
  const wide = { isTTY: true, columns: 110, environment: { NO_COLOR: '1' } };
  const { stdout: table } = await email(['partly.example', 'good.example'], {}, wide);
  assert.match(table, /\n\? {7}partly\.example +ok +-all 0\/10 +2048 +\? /);
});

test('email: --selectors are tried beside the common ones, --only-selectors instead', async () => {
  const selectorsOf = async (options: Partial<EmailOptions>) =>
    JSON.parse((await email(['good.example'], { json: true, ...options })).stdout).dkim.map(
      ({ selector }: { selector: string }) => selector,
    );
  assert.deepEqual(await selectorsOf({ selectors: 'mine' }), ['google', 'mine']);
  assert.deepEqual(await selectorsOf({ onlySelectors: 'mine,other' }), ['mine', 'other']);
});

test('email: exit code 0 if all have grade A or B', async () => {
  assert.equal((await email(['good.example', 'user@good.example', 'GOOD.example'])).code, 0);
});

test('email: a file is read line by line; a line that is no domain does not stop the others', async () => {
  writeFileSync(
    path('list'),
    '\ufeff# ours\r\ngood.example\r\n\r\n  bad.example \nnot a domain\nuser@good.example\n',
  );
  const { code, stdout, stderr } = await email([path('list')], { json: true });
  const lines = stdout.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ domain, grade, code }) => [domain, grade ?? code]),
    [
      ['good.example', 'A'],
      ['bad.example', 'F'],
      ['not a domain', 'INVALID_DOMAIN'],
    ],
  );
  assert.equal(code, 1);
  assert.match(
    stderr,
    / first step\n- .*not a domain.*invalid domain\nF .*\n(?: .*\n)+A .*\n\n3 domains: 1 not checked, 1 F, 1 A\n$/,
  );
});

for (const [behaviour, texts, options] of [
  ['without arguments', [], {}],
  ['as -', ['-'], {}],
] as const)
  test(`email: standard input is read ${behaviour}`, async () => {
    const { stdout } = await email(
      [...texts],
      { ...options, json: true },
      { stdin: 'good.example\nbad.example\n' },
    );
    assert.equal(stdout.trimEnd().split('\n').length, 2);
  });

test('email: CSV has a row for each domain, also for one that could not be checked', async () => {
  const { stdout } = await email(['good.example', 'broken.example', 'bad.example'], { csv: true });
  // Those that DNS did not answer for are checked again, at the end.
  const [header = '', good, bad = '', broken, end] = stdout.split('\n');
  assert.match(
    header,
    /^domain,grade,score,mx_points,spf_points,dkim_points,dmarc_points,mx_hosts,/,
  );
  const old = 'good.example,A,100,10,25,30,35,mx.good.example,fail,3,google,reject,,,';
  const added =
    "yes,,ok,'-all 3/10,2048,reject,v=spf1 include:spf.good.example -all,v=DMARC1; p=reject; rua=mailto:d@good.example,mailto:d@good.example,2048,,,,,,,,,,,";
  assert.equal(good, old + added);
  assert.equal(broken?.replace(/"[^"]*"/, '').split(',').length, header.split(',').length);
  assert.match(
    broken ?? '',
    /^broken\.example,\?,{12}"DNS unavailable: .* \(asked 127\.0\.0\.1:\d+\)",no,,\?,\?,\?,\?,/,
  );
  assert.match(bad, /^bad\.example,F,0,0,0,0,0,,,0,,,"?Anyone can send mail as bad\.example/);
  assert.match(
    bad,
    /,yes,"anyone can send mail as this domain, because no DMARC policy is in force",missing,missing,missing,missing,.*no_mx_records no_spf_record no_dmarc_record/,
  );
  assert.equal(end, '');
});

test('email: CSV has columns for transport', async () => {
  const { stdout } = await email(['good.example'], { csv: true, include: new Set(['transport']) });
  assert.match(stdout, /,missing,missing,0\/1,missing,no,,,,,no_mta_sts_record [a-z_ ]+\n$/);
});

test('email: a line that a spreadsheet would take for a formula is made text', async () => {
  const { stdout } = await email(['-'], { csv: true }, { stdin: '=HYPERLINK("x")\n' });
  assert.match(stdout, /\n"'=HYPERLINK\(""x""\)",/);
});

test('email: a terminal shows a progress bar, which is gone at the end', async () => {
  const { stderr } = await email(['good.example', 'bad.example'], {}, { isTTY: true });
  assert.match(stderr, /░.* 50% {2}1 of 2 domains/);
  assert.ok(stderr.endsWith('\r\x1b[K'));
  const piped = await email(['good.example', 'bad.example']);
  assert.equal(piped.stderr, '');
});

test('email: 60 domains are checked a few at a time, in the order of the list', async () => {
  const domains = Array.from({ length: 60 }, (_, i) => `d${i}.example`);
  const { stdout } = await email(['-'], { json: true }, { stdin: domains.join('\n') });
  const lines = stdout.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).domain),
    domains,
  );
});
