/** What is read as an aggregate report, in any packing, and what is refused. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createRequire } from 'node:module';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { zip } from '@whence/testing/zip';
import { zone } from '../dns/zone.ts';
import { type FoundReport, type ReadOptions, readReports } from './read-reports.ts';
import type { AggregateReport } from './report.ts';

const ROW = `<record><row><source_ip>192.0.2.1</source_ip><count>2</count><policy_evaluated><disposition>none</disposition>
  <dkim>fail</dkim><spf>pass</spf><reason><type>local_policy</type><comment>arc=pass</comment></reason></policy_evaluated></row>
  <identifiers><envelope_from>Bounce.Example.com.</envelope_from><header_from>Example.COM</header_from></identifiers>
  <auth_results><dkim><domain>example.com</domain><selector>s1</selector><result>fail</result></dkim>
  <spf><domain>bounce.example.com</domain><scope>mfrom</scope><result>pass</result></spf></auth_results></record>`;
const META = `<report_metadata><org_name>Example Inc.</org_name><email>reports@example.net</email><report_id>1</report_id>
  <date_range><begin>1794614400</begin><end>1794700799</end></date_range></report_metadata>`;
const POLICY = '<policy_published><domain>example.com</domain><p>none</p><pct>100</pct></policy_published>';
const feedback = (...parts: string[]) => `<feedback>${META}${POLICY}${parts.join('')}</feedback>`;
const REPORT = feedback(ROW);

async function read(content: string | Buffer, options?: ReadOptions): Promise<FoundReport[]> {
  const found: FoundReport[] = [];
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for await (const one of readReports('input', bytes, options)) found.push(one);
  return found;
}
const outcome = (found: readonly FoundReport[]) =>
  found.map((one) => (one.kind === 'report' ? `${one.report.domain} ${one.report.rows.length}` : one.code)).join(', ');
async function only(content: string | Buffer): Promise<AggregateReport> {
  const [found] = await read(content);
  assert.equal(found?.kind, 'report', JSON.stringify(found));
  return found.report;
}

const message = (type: string, content: string | Buffer, header = '') =>
  `From: reports@example.net\r\n${header}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nA report.\r\n--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64')}\r\n--b--\r\n`;

test('reports: everything that a report says is read', async () => {
  const { rows, ...rest } = await only(REPORT);
  assert.deepEqual(rest, {
    reporter: 'Example Inc.',
    reporterEmail: 'reports@example.net',
    reportId: '1',
    domain: 'example.com',
    begin: 1_794_614_400,
    end: 1_794_700_799,
    policy: { p: 'none', sp: '', np: '', adkim: '', aspf: '', pct: '100', testing: '' },
  });
  assert.deepEqual(rows, [
    {
      address: '192.0.2.1',
      count: 2,
      disposition: 'none',
      spfPassed: true,
      dkimPassed: false,
      headerFrom: 'example.com',
      envelopeFrom: 'bounce.example.com',
      reasons: [{ type: 'local_policy', comment: 'arc=pass' }],
      spf: [{ domain: 'bounce.example.com', scope: 'mfrom', result: 'pass' }],
      dkim: [{ domain: 'example.com', selector: 's1', result: 'fail' }],
    },
  ]);
});

const upper = REPORT.replace(/<\/?[a-z_]+/g, (tag) => tag.toUpperCase());
const wide = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
for (const [behaviour, content] of [
  ['element names in capitals', upper],
  ['blanks before the declaration', `\n \n<?xml version="1.0"?>\n${REPORT}`],
  ['a byte order mark', `\ufeff<?xml version="1.0"?>${REPORT}`],
  ['an unknown encoding', `<?xml version="1.0" encoding="x-none"?>${REPORT}`],
  ['UTF-16 that says UTF-8', wide(`<?xml version="1.0" encoding="utf-8"?>${REPORT}`)],
  ['a namespace', REPORT.replace('<feedback>', '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">')],
  ['a prefix', REPORT.replace(/<(\/?)/g, '<$1d:').replace('<d:feedback>', '<d:feedback xmlns:d="urn:x">')],
  ['unknown elements', feedback(ROW, '<extension><row><count>9</count></row></extension><version>1.0</version>')],
  ['a wrapper that is not closed', `<xs:schema xmlns:xs="urn:x">${REPORT}`],
  ['a stray ampersand', REPORT.replace('Example Inc.', 'A & B')],
  ['gzip', gzipSync(REPORT)],
  ['gzip with a line break after it', Buffer.concat([gzipSync(REPORT), Buffer.from('\r\n')])],
  ['gzip in gzip', gzipSync(gzipSync(REPORT))],
  ['zip', zip({ 'r.xml': REPORT })],
  ['gzip in zip, with a wrong name', zip({ 'r.txt': gzipSync(REPORT) })],
  ['zip in gzip', gzipSync(zip({ 'r.xml': REPORT }))],
  ['a message with gzip', message('application/gzip', gzipSync(REPORT))],
  ['a message with a wrong type', message('application/pdf', zip({ 'r.xml': REPORT }))],
  ['a message from a pipe', message('application/zip', gzipSync(REPORT)).replaceAll('\r\n', '\n')],
  ['a message with XML', message('text/xml', REPORT)],
] as const)
  test(`reports: ${behaviour} does not matter`, async () => {
    assert.equal(outcome(await read(content)), 'example.com 1');
  });

test('reports: files of a zip and messages of an mbox are read one by one', async () => {
  assert.equal(
    outcome(await read(zip({ 'a.xml': REPORT, 'b.txt': 'x', 'c.xml': REPORT }))),
    'example.com 1, no_report, example.com 1',
  );
  const mbox = [message('application/gzip', gzipSync(REPORT)), message('text/plain', 'x')];
  const text = mbox.map((one) => `From a@example.net Mon Nov 16 00:00:00 2026\n${one}\n>From here\n\n`).join('');
  assert.equal(outcome(await read(text)), 'example.com 1, no_report');
});

const count = (text: string) => feedback(ROW.replace('<count>2<', `<count>${text}<`));
const address = (text: string) => feedback(ROW.replace('192.0.2.1', text));
const time = (text: string) => REPORT.replace('1794614400', text);
const bomb = `<feedback>${' '.repeat(40 << 20)}`;
for (const [behaviour, content, want] of [
  ['nothing', '', 'not_a_report'],
  ['a text', 'hello', 'not_a_report'],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'not_a_report'],
  ['another XML', '<html><body/></html>', 'no_report'],
  ['XML that is cut', REPORT.slice(0, -30), 'broken_xml'],
  ['XML that is cut in a tag', REPORT.slice(0, 200), 'broken_xml'],
  ['gzip that is cut', gzipSync(REPORT).subarray(0, -20), 'broken_archive'],
  ['zip that is cut', zip({ 'r.xml': REPORT }).subarray(0, -10), 'broken_archive'],
  ['zip with a wrong size', zip({ 'r.xml': REPORT }, 10), 'broken_archive'],
  ['entities', `<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>${REPORT}`, 'doctype'],
  ['an external DTD', `<!doctype feedback SYSTEM "file:///etc/passwd">${REPORT}`, 'doctype'],
  ['elements without an end', gzipSync('<a>'.repeat(1_000_000), { level: 1, strategy: 2 }), 'no_report'],
  ['elements without an end after a report', `${REPORT}${'<a>'.repeat(1_000_000)}`, 'example.com 1'],
  ['deep nesting', `<feedback>${'<a>'.repeat(1_000)}`, 'broken_xml'],
  ['a gzip bomb', gzipSync(bomb), 'unpacked_too_large'],
  ['a gzip bomb in gzip', gzipSync(gzipSync(bomb)), 'unpacked_too_large'],
  ['a zip bomb', zip({ 'r.xml': bomb }), 'unpacked_too_large'],
  ['three archives in each other', gzipSync(gzipSync(gzipSync(REPORT))), 'nested_too_deep'],
  ['more than 10 MiB', Buffer.alloc((10 << 20) + 1, ' '), 'too_large'],
  ['a negative number of messages', count('-1'), 'bad_count'],
  ['2^53 messages', count('9007199254740992'), 'bad_count'],
  ['messages that are not a number', count('many'), 'bad_count'],
  ['no messages', count('0'), 'example.com 0'],
  ['an address that is none', address('unknown'), 'bad_address'],
  ['no domain', REPORT.replace('<domain>example.com</domain><p>', '<p>'), 'bad_domain'],
  ['a domain that is none', REPORT.replace('<domain>example.com</domain><p>', '<domain>a b</domain><p>'), 'bad_domain'],
  ['no period', REPORT.replace(/<date_range>.*<\/date_range>/, ''), 'bad_period'],
  ['a period that ends before it begins', time('1794700800'), 'bad_period'],
  ['a TLS report', '{"organization-name":"x","policies":[]}', 'tls_report'],
  ['another JSON', '{"a":1}', 'not_a_report'],
  ['a TLS report in a message', message('application/tlsrpt+gzip', gzipSync('{"policies":[]}')), 'tls_report'],
  ['a failure report', message('message/feedback-report', 'Feedback-Type: auth-failure'), 'failure_report'],
  ['a message without a report', message('image/png', 'x'), 'no_report'],
] as const)
  test(`reports: ${behaviour}: ${want}`, async () => assert.equal(outcome(await read(content)), want));

test('reports: 200,000 rows are read, and one more is not', async () => {
  const row = '<record><row><source_ip>192.0.2.1</source_ip><count>1</count></row></record>';
  // Stored, not compressed: the same row again and again would be more than 200:1.
  const packed = (rows: number) => gzipSync(feedback(row.repeat(rows)), { level: 0 });
  const half = feedback(row.repeat(100_000));
  assert.equal(outcome(await read(half)), 'example.com 100000');
  assert.equal(
    outcome(await read(gzipSync(feedback(row.repeat(200_000)), { level: 1, strategy: 2 }))),
    'example.com 200000',
  );
  assert.equal(
    outcome(await read(gzipSync(feedback(row.repeat(200_001)), { level: 1, strategy: 2 }))),
    'too_many_rows',
  );
  assert.equal(outcome(await read(packed(150_000))), 'too_large');
});

for (const [written, want] of [
  [' 2001:DB8:0:0::1 ', '2001:db8::1'],
  ['::ffff:192.0.2.9', '192.0.2.9'],
  ['[2001:db8::2]', '2001:db8::2'],
] as const)
  test(`reports: the address ${written} is ${want}`, async () =>
    assert.equal((await only(address(written))).rows[0]?.address, want));

test('reports: hostile texts are kept, without what a database cannot store', async () => {
  const hostile = '&lt;script&gt;\u001b[31m\u202e=1+1&#xD800;&#0;&undefined;';
  const { reporter } = await only(REPORT.replace('Example Inc.', hostile));
  assert.ok(reporter.startsWith('<script>\u001b[31m\u202e=1+1') && reporter.endsWith('&undefined;'), reporter);
  assert.ok(!/\0|\p{Cs}/u.test(reporter));
  assert.equal((await only(REPORT.replace('Example Inc.', 'x'.repeat(5_000)))).reporter.length, 1_000);
});

// Its signatures are the reference for ours: mailauth is what other programs verify with.
const { dkimSign } = createRequire(import.meta.url)('mailauth/lib/dkim/sign') as {
  dkimSign(message: string, options: object): Promise<{ signatures: string }>;
};
const keys = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ed25519: generateKeyPairSync('ed25519'),
};
const privateKey = (type: keyof typeof keys) => keys[type].privateKey.export({ type: 'pkcs8', format: 'pem' });
const rsaRecord = keys.rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const edRecord = Buffer.from(keys.ed25519.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
const resolver = zone({
  'rsa._domainkey.example.net': { TXT: [`v=DKIM1; p=${rsaRecord}`] },
  'ed25519._domainkey.mail.example.net': { TXT: [`v=DKIM1; k=ed25519; p=${edRecord}`] },
  'rsa._domainkey.evil.example': { TXT: [`v=DKIM1; p=${rsaRecord}`] },
  'test._domainkey.example.net': { TXT: [`v=DKIM1; t=y; p=${rsaRecord}`] },
});
const NOW = Date.parse('2026-11-15T12:00:00Z');
const verify = { resolverFor: () => resolver, nowMs: NOW };
const MAIL = message('application/gzip', gzipSync(REPORT), 'Subject:  A   report \r\n of  yesterday\r\n');

type Signing = { domain?: string; selector?: string; type?: keyof typeof keys; form?: string; options?: object };
async function signed({
  domain = 'example.net',
  selector,
  type = 'rsa',
  form = 'relaxed/relaxed',
  options = {},
}: Signing) {
  const signatureData = [
    { signingDomain: domain, selector: selector ?? type, privateKey: privateKey(type), ...options },
  ];
  const { signatures } = await dkimSign(MAIL, {
    canonicalization: form,
    signTime: new Date(NOW - 60_000),
    signatureData,
    ...options,
  });
  return signatures + MAIL;
}
const isProven = async (content: string) => {
  const [found] = await read(content, { verify });
  return found?.kind === 'report' ? found.isProven : undefined;
};

for (const [behaviour, signing, want, change = (text: string) => text] of [
  ['relaxed', {}, true],
  ['simple', { form: 'simple/simple' }, true],
  ['mixed forms', { form: 'simple/relaxed' }, true],
  ['Ed25519, of a subdomain', { type: 'ed25519', domain: 'mail.example.net' }, true],
  ['line feeds of a pipe', {}, true, (text) => text.replaceAll('\r\n', '\n')],
  ['of another domain', { domain: 'evil.example' }, false],
  ['with a key that does not exist', { selector: 'none' }, false],
  ['with a key that is a test', { selector: 'test' }, false],
  ['that has expired', { options: { expires: new Date(NOW - 1_000) } }, false],
  ['of a part of the body', { options: { maxBodyLength: 10 } }, false],
  ['and a changed body', {}, false, (text) => text.replace('A report.', 'Another.')],
  ['and a changed From', {}, false, (text) => text.replace('From: reports@', 'From: others@')],
  ['and a changed signature', {}, false, (text) => text.replace(/ b=(.)/, ' b=$1A')],
] as readonly [string, Signing, boolean, ((text: string) => string)?][])
  test(`reports: a message with a signature, ${behaviour}, ${want ? 'is' : 'is not'} proven`, async () => {
    assert.equal(await isProven(change(await signed(signing))), want);
  });

test('reports: a message without a signature is not proven, a file is, and a message that a person imports is', async () => {
  assert.equal(await isProven(MAIL), false);
  for (const [content, options] of [
    [gzipSync(REPORT), { verify }],
    [Buffer.from(MAIL), {}],
  ] as const) {
    const [found] = await read(content, options);
    assert.ok(found?.kind === 'report' && found.isProven);
  }
});
