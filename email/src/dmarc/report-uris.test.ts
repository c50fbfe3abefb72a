import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { parseReportUris } from './report-uris.ts';

for (const [behaviour, list, want] of [
  ['one address', 'mailto:dmarc@example.com', ['mailto:dmarc@example.com example.com']],
  [
    'two, with blanks around the comma',
    'mailto:a@example.com , mailto:b@example.net',
    ['mailto:a@example.com example.com', 'mailto:b@example.net example.net'],
  ],
  [
    'case is kept, that of the host does not matter',
    'MAILTO:DMARC@Example.COM',
    ['MAILTO:DMARC@Example.COM example.com'],
  ],
  [
    'the obsolete size is left out',
    'mailto:a@example.com!10m',
    ['mailto:a@example.com example.com'],
  ],
  ['a size without a unit', 'mailto:a@example.com!5000', ['mailto:a@example.com example.com']],
  ['an encoded ! stays', 'mailto:a%21b@example.com', ['mailto:a%21b@example.com example.com']],
  ['an encoded comma stays', 'mailto:a%2Cb@example.com', ['mailto:a%2Cb@example.com example.com']],
  [
    'header fields',
    'mailto:a@example.com?subject=x@y',
    ['mailto:a@example.com?subject=x@y example.com'],
  ],
  ['plus addresses', 'mailto:a+b=c@example.com', ['mailto:a+b=c@example.com example.com']],
  ['a final dot', 'mailto:a@example.com.', ['mailto:a@example.com. example.com']],
  [
    'an internationalized host is known by its A-label',
    'mailto:a@b%C3%BCcher.example',
    ['mailto:a@b%C3%BCcher.example xn--bcher-kva.example'],
  ],
  [
    'other schemes are legal, but no host gets mail',
    'https://example.com/dmarc',
    ['https://example.com/dmarc '],
  ],
] as const) {
  test(`dmarc report uris: ${behaviour}`, () => {
    const { uris, bad } = parseReportUris(list);
    assert.deepEqual([uris.map(({ uri, host }) => `${uri} ${host}`), bad], [want, []]);
  });
}

for (const [behaviour, item] of [
  ['an address without a scheme', 'dmarc@example.com'],
  ['a ! that is not encoded', 'mailto:a!b@example.com'],
  ['a size that is none', 'mailto:a@example.com!10x'],
  ['a blank inside', 'mailto:a @example.com'],
  ['two without a comma', 'mailto:a@example.com mailto:b@example.com'],
  ['no address', 'mailto:'],
  ['no host', 'mailto:a@'],
  ['no local part', 'mailto:@example.com'],
  ['no @', 'mailto:example.com'],
  ['two @', 'mailto:a@b@example.com'],
  ['slashes, which must be encoded', 'mailto://a@example.com'],
  ['a percent sign alone', 'mailto:a%@example.com'],
  ['bytes that are not UTF-8 in the host', 'mailto:a@%FF.example'],
  ['an empty label', 'mailto:a@example..com'],
  ['angle brackets', 'mailto:<a@example.com>'],
  ['quotes', '"mailto:a@example.com"'],
  ['bytes above ASCII', 'mailto:a@b\u00fccher.example'],
  ['nothing', ''],
] as const) {
  test(`dmarc report uris: refused: ${behaviour}`, () => {
    assert.deepEqual(parseReportUris(item), { uris: [], bad: [item], unread: 0 });
    assert.deepEqual(parseReportUris(`mailto:a@example.com, ${item}`).uris.length, 1);
  });
}

test('dmarc report uris: any text is read, and every item is good or bad', () => {
  const part = fc.constantFrom(
    'mailto:',
    'a',
    '@',
    '.',
    'example.com',
    '!',
    '10m',
    ',',
    '%',
    '%FF',
    ' ',
    '?',
    '\u00e9',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (list) => {
      const { uris, bad, unread } = parseReportUris(list);
      assert.equal(uris.length + bad.length + unread, list.split(',').length);
    }),
    { numRuns: 600 },
  );
});

test('dmarc report uris: those beyond the hundredth are not read', () => {
  const { uris, unread } = parseReportUris(
    Array.from({ length: 130 }, (_, i) => `mailto:a${i}@example.com`).join(),
  );
  assert.deepEqual([uris.length, uris.at(-1)?.uri, unread], [100, 'mailto:a99@example.com', 30]);
});
