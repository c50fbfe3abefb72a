/** What is read as an aggregate report, in any packing, and what is refused. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { zip } from '@whence/testing/zip';
import { KEY_RECORDS, MESSAGE, SIGNATURES } from '../../test/signed-report.ts';
import { zone } from '../../test/zone.ts';
import { provesReporter } from '../large-receivers.ts';
import type { AggregateReport } from '../report.ts';
import { type FoundReport, type ReadOptions, readReports } from './read-reports.ts';

const ROW = `<record><row><source_ip>192.0.2.1</source_ip><count>2</count><policy_evaluated><disposition>none</disposition>
  <dkim>fail</dkim><spf>pass</spf><reason><type>local_policy</type><comment>arc=pass</comment></reason></policy_evaluated></row>
  <identifiers><envelope_from>Bounce.Example.com.</envelope_from><header_from>Example.COM</header_from></identifiers>
  <auth_results><dkim><domain>example.com</domain><selector>s1</selector><result>fail</result></dkim>
  <spf><domain>bounce.example.com</domain><scope>mfrom</scope><result>pass</result></spf></auth_results></record>`;
const META = `<report_metadata><org_name>Example Inc.</org_name><email>reports@example.net</email><report_id>1</report_id>
  <date_range><begin>1794614400</begin><end>1794700799</end></date_range></report_metadata>`;
const POLICY =
  '<policy_published><domain>example.com</domain><p>none</p><pct>100</pct></policy_published>';
const feedback = (...parts: string[]) => `<feedback>${META}${POLICY}${parts.join('')}</feedback>`;
const REPORT = feedback(ROW);

async function read(content: string | Buffer, options?: ReadOptions): Promise<FoundReport[]> {
  const found: FoundReport[] = [];
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for await (const one of readReports('input', bytes, options)) found.push(one);
  return found;
}
const outcome = (found: readonly FoundReport[]) =>
  found
    .map((one) =>
      one.kind === 'report'
        ? `${one.report.domain} ${one.report.rows.length}`
        : one.kind === 'tls_report'
          ? one.kind
          : one.code,
    )
    .join(', ');
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
  [
    'a namespace',
    REPORT.replace('<feedback>', '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">'),
  ],
  [
    'a prefix',
    REPORT.replace(/<(\/?)/g, '<$1d:').replace('<d:feedback>', '<d:feedback xmlns:d="urn:x">'),
  ],
  [
    'unknown elements',
    feedback(ROW, '<extension><row><count>9</count></row></extension><version>1.0</version>'),
  ],
  ['a wrapper that is not closed', `<xs:schema xmlns:xs="urn:x">${REPORT}`],
  [
    'time in milliseconds',
    REPORT.replace('1794614400', '1794614400000').replace('1794700799', '1794700799999'),
  ],
  ['a stray ampersand', REPORT.replace('Example Inc.', 'A & B')],
  ['gzip', gzipSync(REPORT)],
  ['gzip with a line break after it', Buffer.concat([gzipSync(REPORT), Buffer.from('\r\n')])],
  ['gzip with NUL bytes after it', Buffer.concat([gzipSync(REPORT), Buffer.alloc(512)])],
  ['zlib', deflateSync(REPORT)],
  ['zip with NUL bytes after it', Buffer.concat([zip({ 'r.xml': REPORT }), Buffer.alloc(512)])],
  ['XML with NUL bytes after it', Buffer.concat([Buffer.from(REPORT), Buffer.alloc(512)])],
  ['a message with zlib', message('application/octet-stream', deflateSync(REPORT))],
  ['gzip in gzip', gzipSync(gzipSync(REPORT))],
  ['zip', zip({ 'r.xml': REPORT })],
  ['gzip in zip, with a wrong name', zip({ 'r.txt': gzipSync(REPORT) })],
  ['zip in gzip', gzipSync(zip({ 'r.xml': REPORT }))],
  ['a message with gzip', message('application/gzip', gzipSync(REPORT))],
  ['a message with a wrong type', message('application/pdf', zip({ 'r.xml': REPORT }))],
  ['a message from a pipe', message('application/zip', gzipSync(REPORT)).replaceAll('\r\n', '\n')],
  ['a message with XML', message('text/xml', REPORT)],
  ['a message with XML that is called text', message('text/plain; name=r.xml', REPORT)],
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
  const text = mbox
    .map((one) => `From a@example.net Mon Nov 16 00:00:00 2026\n${one}\n>From here\n\n`)
    .join('');
  assert.equal(outcome(await read(text)), 'example.com 1, no_report');
  const withoutBlankLines = text.replaceAll('\n\nFrom ', '\nFrom a word\nFrom ');
  assert.equal(outcome(await read(withoutBlankLines)), 'example.com 1, no_report');
});

const count = (text: string) => feedback(ROW.replace('<count>2<', `<count>${text}<`));
const address = (text: string) => feedback(ROW.replace('192.0.2.1', text));
const time = (text: string) => REPORT.replace('1794614400', text);
const bomb = `<feedback>${' '.repeat(40 << 20)}`;
for (const [behaviour, content, want] of [
  ['two reports in one document', `${REPORT}\n${REPORT}`, 'several_reports'],
  [
    'a second report many characters behind the first',
    gzipSync(`${REPORT}<!-- ${randomBytes(100_000).toString('base64')} -->${REPORT}`),
    'several_reports',
  ],
  ['nothing', '', 'not_a_report'],
  ['gzip without content', gzipSync(''), 'empty'],
  ['zip without files', zip({}), 'empty'],
  ['a message with an empty archive', message('application/zip', zip({})), 'empty'],
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
  [
    'elements without an end',
    gzipSync('<a>'.repeat(1_000_000), { level: 1, strategy: 2 }),
    'no_report',
  ],
  [
    'elements without an end after a report',
    `${REPORT}${'<a>'.repeat(1_000_000)}`,
    'example.com 1',
  ],
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
  [
    'a domain that is none',
    REPORT.replace('<domain>example.com</domain><p>', '<domain>a b</domain><p>'),
    'bad_domain',
  ],
  ['no period', REPORT.replace(/<date_range>.*<\/date_range>/, ''), 'bad_period'],
  ['a period that ends before it begins', time('1794700800'), 'bad_period'],
  ['another JSON', '{"a":1}', 'not_a_report'],
  [
    'an empty TLS report in a message',
    message('application/tlsrpt+gzip', gzipSync('{"policies":[]}')),
    'no_policies',
  ],
  [
    'a failure report',
    message('message/feedback-report', 'Feedback-Type: auth-failure'),
    'failure_report',
  ],
  ['a message without a report', message('image/png', 'x'), 'no_report'],
  ['a message in HTML', message('text/html', '<!DOCTYPE html><p>'), 'no_report'],
] as const)
  test(`reports: ${behaviour}: ${want}`, async () =>
    assert.equal(outcome(await read(content)), want));

for (const [written, want] of [
  [' 2001:DB8:0:0::1 ', '2001:db8::1'],
  ['::ffff:192.0.2.9', '192.0.2.9'],
  ['0:0:0:0:0:FFFF:c000:209', '192.0.2.9'],
  ['[2001:db8::2]', '2001:db8::2'],
] as const)
  test(`reports: the address ${written} is ${want}`, async () =>
    assert.equal((await only(address(written))).rows[0]?.address, want));

for (const [behaviour, content, want] of [
  ['no name in From', REPORT.replace(/<header_from>.*?<\/header_from>/, ''), 'example.com'],
  [
    'an address in From',
    REPORT.replace('Example.COM', 'Ann &lt;ann@Example.COM&gt;'),
    'example.com',
  ],
  ['a U-label in From', REPORT.replace('Example.COM', 'Bücher.Example'), 'xn--bcher-kva.example'],
] as const)
  test(`reports: ${behaviour} is read as ${want}`, async () =>
    assert.equal((await only(content)).rows[0]?.headerFrom, want));

test('reports: a row without an evaluation is evaluated by its results and the policy', async () => {
  const bare = REPORT.replace(/<policy_evaluated>[\s\S]*<\/policy_evaluated>/, '');
  const strict = bare.replace('<p>none</p>', '<p>none</p><aspf>s</aspf>');
  for (const [content, spfPassed] of [
    [bare, true],
    [strict, false],
  ] as const) {
    const [row] = (await only(content)).rows;
    assert.deepEqual([row?.spfPassed, row?.dkimPassed], [spfPassed, false]);
  }
});

test('reports: the sum at the end of a zlib file may be a line feed', async () => {
  const files = Array.from({ length: 256 }, (_, i) => deflateSync(REPORT + '!'.repeat(i)));
  const packed = files.find((bytes) => bytes.at(-1) === 0x0a);
  assert.ok(packed !== undefined);
  const [found] = await read(packed);
  assert.equal(found?.kind, 'report');
});

test('reports: hostile texts are kept, without what a database cannot store', async () => {
  const hostile = '&lt;script&gt;\u001b[31m\u202e=1+1&#xD800;&#0;&undefined;';
  const { reporter } = await only(REPORT.replace('Example Inc.', hostile));
  assert.ok(
    reporter.startsWith('<script>\u001b[31m\u202e=1+1') && reporter.endsWith('&undefined;'),
    reporter,
  );
  assert.ok(!/\0|\p{Cs}/u.test(reporter));
  assert.equal(
    (await only(REPORT.replace('Example Inc.', 'x'.repeat(5_000)))).reporter.length,
    1_000,
  );
});

for (const [behaviour, declaration, name] of [
  ['ISO-8859-1 as declared', '<?xml version="1.0" encoding="ISO-8859-1"?>', 'latin1'],
  ['ISO-8859-1 that says UTF-8', '<?xml version="1.0" encoding="UTF-8"?>', 'latin1'],
  ['UTF-8 that says ISO-8859-1', '<?xml version="1.0" encoding="ISO-8859-1"?>', 'utf8'],
] as const)
  test(`reports: names in ${behaviour}`, async () => {
    const text = declaration + REPORT.replace('Example Inc.', 'Müller é');
    const [found] = await read(Buffer.from(text, name));
    assert.equal(found?.kind === 'report' && found.report.reporter, 'Müller é');
  });

for (const [behaviour, from, signer, reportDomain, want] of [
  ['a receiver of the table', 'google.com', 'google.com', 'google.com', true],
  ['with the contact of its owner', 'dmarc.yahoo.com', 'dmarc.yahoo.com', 'yahooinc.com', true],
  ['a part of one', 'au-1.mimecastreport.com', 'au-1.mimecastreport.com', 'mimecast.com', true],
  ['a user of a receiver', 'mail.ru', 'mail.ru', 'corp.mail.ru', false],
  ['a user who names the domain of users', 'mail.ru', 'mail.ru', 'mail.ru', false],
  ['a user of GMX', 'gmx.net', 'gmx.net', 'sicher.gmx.net', false],
  ['a user of Yahoo', 'yahoo.com', 'yahoo.com', 'yahoo.com', false],
  ['a customer of Comcast', 'a.hsd1.comcast.net', 'a.hsd1.comcast.net', 'comcast.net', false],
  ['another receiver', 'corp.mail.ru', 'corp.mail.ru', 'google.com', false],
  ['a receiver outside the table', 'a.example', 'a.example', 'a.example', true],
  ['one that a part signs for', 'a.example', 'mail.a.example', 'a.example', false],
  ['one whose report names another', 'a.example', 'a.example', 'b.example', false],
  ['a name that ends alike', 'evilgoogle.com', 'evilgoogle.com', 'google.com', false],
] as const)
  test(`reports: a signature of ${behaviour} ${want ? 'proves' : 'does not prove'} it`, () =>
    assert.equal(provesReporter(reportDomain, from, signer), want));

const resolver = zone({
  'rsa._domainkey.example.net': { TXT: [KEY_RECORDS.rsa] },
  'ed25519._domainkey.mail.example.net': { TXT: [KEY_RECORDS.ed25519] },
  'rsa._domainkey.evil.example': { TXT: [KEY_RECORDS.rsa] },
  'test._domainkey.example.net': { TXT: [KEY_RECORDS.rsa.replace('v=DKIM1;', 'v=DKIM1; t=y;')] },
});
const verified = { resolverFor: () => resolver };

async function isProven(content: string): Promise<boolean | undefined> {
  const [report] = await read(content, verified);
  return report?.kind === 'report' ? report.unproven === undefined : undefined;
}

for (const [behaviour, signature, want, change = (text: string) => text] of [
  ['relaxed', 'relaxed', true],
  ['simple', 'simple', true],
  ['mixed forms', 'mixed', true],
  ['Ed25519, of a subdomain of a receiver outside the table', 'ed25519', false],
  ['line feeds of a pipe', 'relaxed', true, (text) => text.replaceAll('\r\n', '\n')],
  ['of another domain', 'otherDomain', false],
  ['with a key that does not exist', 'missingKey', false],
  ['with a key that is a test', 'testKey', false],
  ['of a message that was read after it expired', 'expired', true],
  ['of a part of the body', 'partOfBody', false],
  ['and a changed body', 'relaxed', false, (text) => text.replace('A report.', 'Another.')],
  ['and a changed From', 'relaxed', false, (text) => text.replace('From: reports@', 'From: x@')],
  ['and a changed signature', 'relaxed', false, (text) => text.replace(/ b=(.)/, ' b=$1A')],
] as readonly [string, keyof typeof SIGNATURES, boolean, ((text: string) => string)?][])
  test(`reports: a message with a signature, ${behaviour}, ${want ? 'is' : 'is not'} proven`, async () => {
    assert.equal(await isProven(change(SIGNATURES[signature] + MESSAGE)), want);
  });

const inMessage = (message: string, type = 'message/rfc822') =>
  `From: someone@example.org\r\nContent-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\nContent-Type: ${type}\r\n\r\n${message}\r\n--o--\r\n`;
for (const [behaviour, content, want] of [
  ['that was forwarded as an attachment', inMessage(SIGNATURES.relaxed + MESSAGE), true],
  ['the same twice', inMessage(inMessage(SIGNATURES.relaxed + MESSAGE)), true],
  ['that is not signed, in another one', inMessage(MESSAGE), false],
  ['with two From', `From: x@example.net\r\n${SIGNATURES.relaxed}${MESSAGE}`, false],
  [
    'with a second From and a blank',
    `${SIGNATURES.relaxed}From : x@example.net\r\n${MESSAGE}`,
    false,
  ],
] as const)
  test(`reports: a report in a message ${behaviour} ${want ? 'is' : 'is not'} proven`, async () =>
    assert.equal(await isProven(content), want));

for (const [signature, want] of [
  ['missingKey', 'key_gone'],
  ['otherDomain', 'other_domain'],
  ['testKey', 'signature_broken'],
] as const)
  test(`reports: a message that is not proven says why: ${want} (${signature})`, async () => {
    const [report] = await read(SIGNATURES[signature] + MESSAGE, verified);
    assert.equal(report?.kind === 'report' && report.unproven, want);
  });

test('reports: a message without a signature is not proven, a file is, and a message that a person imports is', async () => {
  assert.equal(await isProven(MESSAGE), false);
  for (const [content, options] of [
    [gzipSync(REPORT), verified],
    [Buffer.from(MESSAGE), {}],
  ] as const) {
    const [report] = await read(content, options);
    assert.ok(report?.kind === 'report' && report.unproven === undefined);
  }
});
