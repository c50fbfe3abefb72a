import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseEmbeddedJsonHtml } from './json-lists.ts';

const page = (
  body: string,
) => `<!doctype html><html><head><script src="/lib/jquery-1.2.3.4/x.js?v=1.2.3.4"></script></head>
<body data-version="1.2.3.4"><p>Version 1.2.3.4, also "1.2.3.4"</p>${body}</body></html>`;

for (const [behaviour, body, want] of [
  [
    'a document in the text of the page, escaped',
    '<code>{&quot;creationTime&quot;: &quot;2026-08-20T10:00:00Z&quot;, &quot;prefixes&quot;: [{&quot;ip_prefix&quot;: &quot;192.0.2.1&quot;},\n {&#34;ipv6Prefix&#34;:&#34;2001:db8::/64&#34;}]}</code>',
    ['192.0.2.1/32', '2001:db8::/64'],
  ],
  [
    'a document in a script, unescaped',
    '<script>var ips = {"creationTime":"2026-08-20","prefixes":[{"ipv4Prefix":"192.0.2.0\\/28"},{"ip":"192.0.2.99"}]}</script>',
    ['192.0.2.0/28', '192.0.2.99/32'],
  ],
  [
    'a document in a script, as a string',
    '<script>load("{\\"creationTime\\":\\"2026-08-20\\",\\"cidr\\":\\"192.0.2.0/28\\"}")</script>',
    ['192.0.2.0/28'],
  ],
  [
    'a list of texts',
    '<pre>{"creationTime":"2026-08-20","list":[\n  "192.0.2.1",\n  "192.0.2.2/32",\n  "2001:db8::1" ]}</pre>',
    ['192.0.2.1/32', '192.0.2.2/32', '2001:db8::1/128'],
  ],
  [
    'a table',
    '"creationTime":"2026-08-20"<table><tr><td>192.0.2.1</td><td class="x"> <code>192.0.2.0/28</code> </td><td>about 192.0.2.7</td><td>1.50</td></tr></table>',
    ['192.0.2.1/32', '192.0.2.0/28'],
  ],
] as const) {
  test(`embedded-json-html: ${behaviour}`, () => {
    const read = parseEmbeddedJsonHtml(bytesContent(page(body)));
    assert.deepEqual(listed(read), want);
    assert.deepEqual([read.skipped, read.asOf], [0, '2026-08-20']);
  });
}

for (const [behaviour, body] of [
  ['version numbers in URLs, attributes and running text', ''],
  [
    'a member that is not an address',
    '<script>{"version":"1.2.3.4","description":"1.2.3.4"}</script>',
  ],
  ['the arguments of a call', '<script>use("a","1.2.3.4","b")</script>'],
  ['part of a text', '<script>{"ip":"1.2.3.4 and more","url":"https://192.0.2.1/"}</script>'],
  ['prices in a table', '<table><tr><td>1.50</td><td>10:30</td></tr></table>'],
] as const) {
  test(`embedded-json-html: ignored: ${behaviour}`, () => {
    assert.throws(
      () => parseEmbeddedJsonHtml(bytesContent(page(body))),
      /^Error: not a page with a list of addresses: /,
    );
  });
}

test('embedded-json-html: an element of the list that is not an address counts as skipped', () => {
  const read = parseEmbeddedJsonHtml(
    bytesContent('{"prefixes":["192.0.2.1","192.0.2.256","192.0.2.2"]}'),
  );
  assert.deepEqual([read.records, read.skipped], [2, 1]);
});

test('embedded-json-html: pages that would make a regular expression backtrack are parsed in linear time', () => {
  for (const piece of ['<td', '["', '["1.2.3.4', '"::', '<td><b>', '\\', '&quot;[']) {
    const text = piece.repeat(200_000);
    try {
      parseEmbeddedJsonHtml(bytesContent(text));
    } catch (error) {
      assert.match((error as Error).message, /^not a page/);
    }
  }
});
