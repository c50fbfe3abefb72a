import assert from 'node:assert/strict';
import test from 'node:test';
import { failure } from '../dns/answer.ts';
import { zone } from './zone.ts';

const records = {
  'example.com': {
    TXT: ['v=spf1 -all', ['two ', 'strings']],
    MX: [[10, 'MX.example.com.'] as const],
    A: ['192.0.2.1'],
  },
  'mx.example.com': { AAAA: ['2001:db8::1'] },
  'null.example.com': { MX: [[0, '.'] as const] },
  'a._domainkey.example.com': { TXT: ['p='] },
  'Alias.example.com': { CNAME: 'hop.example.com' },
  'hop.example.com': { CNAME: 'Example.com.' },
  'dangling.example.com': { CNAME: 'gone.example.net' },
  'to-fail.example.com': { CNAME: 'fail.example.com' },
  'loop.example.com': { CNAME: 'pool.example.com' },
  'pool.example.com': { CNAME: 'loop.example.com' },
  'fail.example.com': { fail: 'SERVFAIL', TXT: ['unseen'] },
  'fail-mx.example.com': { fail: { MX: 'timeout' }, TXT: ['seen'] },
  '*.wild.example.com': { TXT: ['wild'] },
  'there.wild.example.com': { A: ['192.0.2.2'] },
};
const found = (...texts: string[]) => ({ kind: 'found', records: texts, aliases: [] });

for (const [behaviour, name, type, want] of [
  ['strings of a record are joined', 'example.com', 'txt', found('v=spf1 -all', 'two strings')],
  ['names in any case, with or without final dot', 'EXAMPLE.com.', 'a', found('192.0.2.1')],
  [
    'an MX host is lower case without final dot',
    'example.com',
    'mx',
    { kind: 'found', records: [{ preference: 10, exchange: 'mx.example.com' }], aliases: [] },
  ],
  [
    'a null MX is a dot',
    'null.example.com',
    'mx',
    { kind: 'found', records: [{ preference: 0, exchange: '.' }], aliases: [] },
  ],
  ['a type that is not there', 'example.com', 'aaaa', { kind: 'nodata' }],
  ['a name that is not there', 'gone.example.com', 'txt', { kind: 'nxdomain' }],
  ['a name with something below it exists', '_domainkey.example.com', 'txt', { kind: 'nodata' }],
  ['a single label is not asked', 'com', 'txt', { kind: 'nxdomain' }],
  ['a special-use name is not asked', 'there.internal', 'txt', { kind: 'nxdomain' }],
  [
    'aliases are followed and named',
    'alias.example.com',
    'a',
    { kind: 'found', records: ['192.0.2.1'], aliases: ['hop.example.com', 'example.com'] },
  ],
  [
    'an alias to a name without the type',
    'alias.example.com',
    'aaaa',
    { kind: 'nodata', alias: 'example.com' },
  ],
  [
    'an alias to a name that does not exist',
    'dangling.example.com',
    'a',
    { kind: 'nxdomain', alias: 'gone.example.net' },
  ],
  ['an alias to a name that fails', 'to-fail.example.com', 'txt', failure('SERVFAIL')],
  ['aliases in a circle', 'loop.example.com', 'txt', failure('alias loop')],
  ['a failure of every type', 'fail.example.com', 'txt', failure('SERVFAIL')],
  ['a failure of one type', 'fail-mx.example.com', 'mx', failure('timeout')],
  ['the other types of that name', 'fail-mx.example.com', 'txt', found('seen')],
  ['a wildcard', 'x.wild.example.com', 'txt', found('wild')],
  ['a wildcard, several labels below', 'x.y.wild.example.com', 'txt', found('wild')],
  ['a wildcard without the type', 'x.wild.example.com', 'a', { kind: 'nodata' }],
  ['a wildcard leaves names that exist alone', 'there.wild.example.com', 'txt', { kind: 'nodata' }],
  ['and what is below them', 'x.there.wild.example.com', 'txt', { kind: 'nxdomain' }],
  ['an empty label', 'a..example.com', 'txt', { kind: 'nxdomain' }],
] as const) {
  test(`zone: ${behaviour}`, async () => assert.deepEqual(await zone(records)[type](name), want));
}

test('zone: each question is listed once, and none that cannot be asked', async () => {
  const resolver = zone(records);
  await Promise.all([
    resolver.txt('Example.com'),
    resolver.txt('example.com.'),
    resolver.mx('example.com'),
  ]);
  await resolver.a('alias.example.com');
  await resolver.txt(`${'x'.repeat(64)}.example.com`);
  assert.deepEqual(resolver.asked, ['example.com TXT', 'example.com MX', 'alias.example.com A']);
  assert.equal(resolver.queries, 3);
});
