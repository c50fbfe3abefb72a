/**
 * Imports of DMARC and TLS reports by the API and the command: what is taken, what is refused, and
 * what others wrote into them.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { zip } from '@whence/testing/zip';
import type { ImportedReport } from '../../email-reports/report-imports.ts';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
const DAY_S = 86_400;
const YESTERDAY = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;
let dns: ScriptedDnsServer;
let server: Awaited<ReturnType<typeof startInProcess>>;
const secrets = { writer: '', reader: '', none: '' };

before(async () => {
  dns = await startScriptedDnsServer({
    'example.com': { TXT: ['v=spf1 -all'], MX: [[0, '.']] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=none'] },
  });
  server = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: dns.address });
  ({ secret: secrets.writer } = await folder.createKey({ permissions: ['reports:write'] }));
  ({ secret: secrets.reader } = await folder.createKey({
    permissions: ['email:read', 'reports:read'],
  }));
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
});

type Texts = {
  id?: string;
  count?: string;
  begin?: number;
  end?: number;
  text?: string;
};

/** `text` is in every element that is a text. */
function report({
  id = '1',
  count = '2',
  begin = YESTERDAY,
  end = begin + DAY_S - 1,
  text,
}: Texts = {}): string {
  const or = (plain: string) => text?.replace(/[<&]/g, (one) => `&#${one.charCodeAt(0)};`) ?? plain;
  const record = `<record><row><source_ip>192.0.2.1</source_ip><count>${count}</count><policy_evaluated><disposition>${or('none')}</disposition>
    <dkim>fail</dkim><spf>fail</spf><reason><type>${or('other')}</type><comment>${or('')}</comment></reason></policy_evaluated></row>
    <identifiers><envelope_from>${or('example.com')}</envelope_from><header_from>${or('example.com')}</header_from></identifiers>
    <auth_results><dkim><domain>${or('example.com')}</domain><selector>${or('s1')}</selector><result>${or('fail')}</result></dkim>
    <spf><domain>${or('example.com')}</domain><scope>${or('mfrom')}</scope><result>${or('fail')}</result></spf></auth_results></record>`;
  return `<feedback><report_metadata><org_name>${or('example.net')}</org_name><email>${or('r@example.net')}</email><report_id>${id}${or('')}</report_id>
    <date_range><begin>${begin}</begin><end>${end}</end></date_range></report_metadata>
    <policy_published><domain>example.com</domain><p>${or('none')}</p></policy_published>${record}</feedback>`;
}
type TlsTexts = { id?: string; domain?: string; sessions?: unknown; start?: number };
function tlsReport({
  id = '1',
  domain = 'example.com',
  sessions = 7,
  start = YESTERDAY,
}: TlsTexts = {}) {
  const time = (seconds: number) => new Date(seconds * 1000).toISOString();
  return JSON.stringify({
    'organization-name': 'Example Inc.',
    'contact-info': 'tls@example.net',
    'report-id': id,
    'date-range': { 'start-datetime': time(start), 'end-datetime': time(start + DAY_S - 1) },
    policies: [
      {
        policy: { 'policy-type': 'sts', 'policy-domain': domain },
        summary: { 'total-successful-session-count': sessions },
      },
    ],
  });
}
const tlsMessage = (id: string) =>
  `From: tls@example.net\nMIME-Version: 1.0\nContent-Type: application/tlsrpt+gzip\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n${gzipSync(tlsReport({ id })).toString('base64')}\n`;
const message = (id: string) =>
  `From: r@example.net\nMIME-Version: 1.0\nContent-Type: application/gzip\nContent-Transfer-Encoding: base64\n\n${gzipSync(report({ id })).toString('base64')}\n`;
const mbox = (...ids: string[]) =>
  ids.map((id) => `From r@example.net Mon Nov 16 00:00:00 2026\n${message(id)}\n`).join('');

async function post(
  body: string | Buffer,
  { secret = secrets.writer, method = 'POST', type = 'application/octet-stream' } = {},
) {
  const headers = { ...(secret !== '' && { 'X-API-Key': secret }), 'Content-Type': type };
  const response = await fetch(`${server.url}/v1/email/reports`, {
    method,
    headers,
    ...(method === 'POST' && { body }),
  });
  const { data } = (await response.json()) as {
    data: { code?: string; reports?: ImportedReport[] };
  };
  return { status: response.status, ...data };
}
const outcome = ({ state, reason }: ImportedReport) => `${state} ${reason.split(':')[0]}`.trim();

for (const [behaviour, body, options, want] of [
  ['no key', report(), { secret: () => '' }, 'UNAUTHORIZED'],
  ['a key without the permission', report(), { secret: () => secrets.reader }, 'FORBIDDEN'],
  ['another method', '', { method: 'PUT' }, 'METHOD_NOT_ALLOWED'],
  ['one byte more than 10 MiB', Buffer.alloc((10 << 20) + 1, ' '), {}, 'PAYLOAD_TOO_LARGE'],
  ['no body', '', {}, 'UNSUPPORTED_MEDIA_TYPE'],
  ['JSON', '{"a":1}', { type: 'application/json' }, 'UNSUPPORTED_MEDIA_TYPE'],
] as readonly [
  string,
  string | Buffer,
  { secret?: () => string; method?: string; type?: string },
  string,
][])
  test(`posted reports: refused for ${behaviour}`, async () => {
    const { secret, ...rest } = options;
    assert.equal((await post(body, { ...rest, ...(secret && { secret: secret() }) })).code, want);
  });

for (const [behaviour, body, want, type] of [
  ['XML', report({ id: 'a' }), ['read']],
  ['XML under the name of JSON', report({ id: 'b' }), ['read'], 'application/json'],
  ['gzip', gzipSync(report({ id: 'c' })), ['read'], 'application/gzip'],
  [
    'zip with a repeated and a new report',
    zip({ a: report({ id: 'a' }), d: report({ id: 'd' }) }),
    ['repeated', 'read'],
  ],
  ['a message without a signature', message('e'), ['read unproven'], 'message/rfc822'],
  ['a mailbox', mbox('f', 'g'), ['read unproven', 'read unproven'], 'application/mbox'],
  ['the same with other rows', report({ id: 'a', count: '3' }), ['read']],
  ['the same proven by its key', report({ id: 'e' }), ['read']],
  ['the same unproven again', message('e'), ['repeated unproven'], 'message/rfc822'],
  ['a bomb', gzipSync(`<feedback>${' '.repeat(20 << 20)}`), ['not_read unpacked_too_large']],
  ['entities', `<!DOCTYPE x [<!ENTITY a "b">]>${report()}`, ['not_read doctype']],
  ['XML that is cut', report().slice(0, -40), ['not_read broken_xml']],
  ['the year 1970', report({ begin: 0 }), ['not_read too_old']],
  ['the year 2099', report({ begin: 4_070_908_800 }), ['read unusable']],
  [
    'a period of three days',
    report({ id: 'h', end: YESTERDAY + 2 * DAY_S + 1 }),
    ['read unusable'],
  ],
  ['2^53 messages', report({ count: '9007199254740992' }), ['not_read bad_count']],
  ['-1 messages', report({ count: '-1' }), ['not_read bad_count']],
  ['a TLS report', tlsReport(), ['read']],
  ['the same TLS report', gzipSync(tlsReport()), ['repeated']],
  ['a TLS report with other sums', tlsReport({ sessions: 8 }), ['read']],
  ['a TLS report by mail, without a signature', tlsMessage('m'), ['read unproven']],
  ['the same TLS report, proven by its key', tlsReport({ id: 'm' }), ['read']],
  ['the same TLS report, unproven again', tlsMessage('m'), ['repeated unproven']],
  ['a TLS report of 1970', tlsReport({ start: 0 }), ['not_read too_old']],
  ['a TLS report of 2099', tlsReport({ start: 4_070_908_800 }), ['read unusable']],
  ['a TLS report with 1e308 sessions', tlsReport({ sessions: 1e308 }), ['not_read bad_sessions']],
  [
    'a TLS report beside an aggregate report',
    zip({ a: tlsReport({ id: 'z' }), b: report({ id: 'z' }) }),
    ['read', 'read'],
  ],
] as readonly [string, string | Buffer, string[], string?][])
  test(`posted reports: ${behaviour}: ${want.join(', ')}`, async () => {
    const { status, reports = [] } = await post(body, { ...(type !== undefined && { type }) });
    assert.deepEqual([status, reports.map(outcome)], [200, want]);
  });

for (const [kind, body, state] of [
  ['an aggregate report', report({ id: 'metric' }), 'read'],
  ['a TLS report', tlsReport({ id: 'metric' }), 'read'],
  ['a report again', report({ id: 'metric' }), 'repeated'],
  ['a message without a signature', message('unproven metric'), 'unproven'],
  ['an old report', report({ id: 'old metric', begin: 0 }), 'not_read'],
] as const)
  test(`posted reports: a metric counts ${kind} as ${state}`, async () => {
    const name = `whence_reports_total{state="${state}"}`;
    const counted = () => Number(server.metrics().counters[name] ?? 0);
    const before = counted();
    await post(body);
    assert.equal(counted() - before, 1);
  });

test('posted reports: a key with a list of domains imports no others', async () => {
  for (const [allowedDomains, want] of [
    [['example.org'], 'not_read domain_not_allowed'],
    [['*.example.com'], 'not_read domain_not_allowed'],
    [['example.org', 'example.com'], 'read'],
  ] as const) {
    const { secret } = await folder.createKey({ permissions: ['reports:write'], allowedDomains });
    for (const body of [report, tlsReport]) {
      const { reports = [] } = await post(body({ id: allowedDomains.join() }), { secret });
      assert.deepEqual(reports.map(outcome), [want]);
    }
  }
});

type Run = {
  environment: Record<string, string>;
  input?: string;
  isTTY?: boolean;
  columns?: number;
};
const wh = (args: readonly string[], { environment, ...rest }: Run) =>
  runCommand(
    ['email', 'reports', ...args],
    { ...environment, WHENCE_DNS_SERVERS: dns.address },
    rest,
  );

test('imported reports: files, folders, mailboxes and standard input, with what is not read', async (t) => {
  const own = new TestFolder();
  t.after(() => own.remove());
  const root = join(own.dataDir, 'in');
  mkdirSync(join(root, 'deep/er'), { recursive: true });
  for (const [name, content] of [
    ['deep/er/a.xml', report({ id: 'a' })],
    ['deep/b.zip', zip({ a: report({ id: 'a' }), b: report({ id: 'b' }) })],
    ['.hidden', 'x'],
    ['box', mbox('c', 'd')],
    ['tls.json', tlsReport()],
    ['old.xml', report({ begin: 0 })],
  ] as const)
    writeFileSync(join(root, name), content);
  const environment = own.environment;
  for (const [args, input, code, want] of [
    [
      ['--new', root],
      undefined,
      0,
      { read: 5, repeated: 1, not_read: { too_old: 1 }, unproven: 2 },
    ],
    [['-'], message('e'), 0, { read: 1, repeated: 0, not_read: {}, unproven: 1 }],
    [['-'], report({ id: 'f' }), 0, { read: 1, repeated: 0, not_read: {}, unproven: 0 }],
    [
      ['-'],
      'x'.repeat((10 << 20) + 1),
      2,
      { read: 0, repeated: 0, not_read: { too_large: 1 }, unproven: 0 },
    ],
    [
      [join(root, '.hidden')],
      undefined,
      2,
      { read: 0, repeated: 0, not_read: { not_a_report: 1 }, unproven: 0 },
    ],
  ] as readonly [string[], string | undefined, number, object][]) {
    const ran = await wh(['import', '--json', ...args], {
      environment,
      ...(input !== undefined && { input }),
    });
    const { messages, unusable, files, ...rest } = JSON.parse(ran.stdout) as Record<
      string,
      unknown
    >;
    assert.deepEqual([ran.code, rest], [code, want], ran.stderr);
  }
  for (const args of [[join(root, 'none')], ['-', root], []])
    assert.equal((await wh(['import', ...args], { environment })).code, 2);
});

/** What a terminal obeys, a spreadsheet computes, and readers are misled by. */
const HOSTILE =
  "=cmd|' /C'!A0\u001b]0;x\u0007\u009b2J\u202e\u2066<img src=x onerror=alert(1)>\"\n,\r\t";
const CONTROLS = /(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

test('imported reports: hostile texts in every field do nothing on a terminal, in CSV and in JSON', async (t) => {
  const own = new TestFolder();
  t.after(() => own.remove());
  const root = join(own.dataDir, 'in');
  mkdirSync(root);
  for (const [i, begin] of Array.from({ length: 3 }, (_, day) => YESTERDAY - day * DAY_S).entries())
    writeFileSync(join(root, `${i}.xml`), report({ id: `${i}`, begin, text: HOSTILE }));
  writeFileSync(join(root, `${HOSTILE.replaceAll('/', '')}.txt`), 'x');
  const environment = own.environment;
  const terminal = { environment, isTTY: true, columns: 200 };
  const imported = await wh(['import', '--new', root], { environment });
  assert.match(imported.stdout, /^read 3 reports, repeated 0, not read 1\n/);
  const plain = await wh(['example.com'], { environment });
  const [text, csv, json] = await Promise.all([
    wh(['example.com'], terminal),
    wh(['example.com', '--csv'], { environment }),
    wh(['example.com', '--json'], { environment }),
  ]);
  for (const { stdout, stderr } of [imported, plain, csv, json])
    assert.doesNotMatch(stdout + stderr, CONTROLS);
  // Colours are its own.
  assert.doesNotMatch(stripVTControlCharacters(text.stdout), CONTROLS);
  for (const cell of csv.stdout
    .split('\n')
    .flatMap((line) => line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g) ?? []))
    assert.doesNotMatch(cell, /^"?[=+@\t\r]/);
  assert.equal((JSON.parse(json.stdout) as { messages: number }).messages, 6);
});
