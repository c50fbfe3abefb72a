import assert from 'node:assert/strict';
import test from 'node:test';
import { builtInFeeds } from './catalogue.ts';
import { DRIVES_OF, FORMATS } from './formats.ts';
import { defaultFeeds, parseCatalogue } from './read-catalogue.ts';

const FEED = {
  id: 'ours',
  url: 'file:///srv/list.txt',
  format: 'cidr-lines',
  drives: ['blocklist'],
};

test('catalogue: every built-in feed is one that an operator could have written', () => {
  const again = parseCatalogue(JSON.stringify({ feeds: builtInFeeds() }));
  assert.deepEqual(again, defaultFeeds());
});

for (const { id, format, drives } of builtInFeeds()) {
  test(`catalogue: ${id} drives what its format can say`, () => {
    const possible = DRIVES_OF[FORMATS[format]?.shape ?? 'names'];
    assert.deepEqual(
      drives.filter((drive) => !possible.includes(drive)),
      [],
    );
  });
}

test('catalogue: an own feed has defaults for all but four fields', () => {
  assert.deepEqual(parseCatalogue(JSON.stringify([FEED])), [
    {
      ...FEED,
      licence: 'not given',
      credit: 'not given',
      refresh_hours: 24,
      mode: 'on',
      min_records: 1,
      max_records: 2_000_000,
      isOn: true,
    },
  ]);
});

test('catalogue: the built-in one with feeds enabled, disabled, replaced and added', () => {
  const feeds = parseCatalogue(
    JSON.stringify({
      extends: 'built-in',
      enable: ['greensnow', 'bgptools-*'],
      disable: ['feodo', 'crawler-*'],
      feeds: [{ ...FEED, id: 'cins' }, FEED],
    }),
  );
  const isOn = (id: string) => feeds.find((feed) => feed.id === id)?.isOn;
  assert.deepEqual(
    [
      'greensnow',
      'bgptools-mobile',
      'feodo',
      'crawler-openai-gptbot',
      'ipsum',
      'iptoasn',
      'ours',
    ].map(isOn),
    [true, true, false, false, true, false, true],
  );
  assert.equal(feeds.length, builtInFeeds().length + 1);
  assert.equal(
    feeds.findIndex(({ url }) => url === FEED.url),
    builtInFeeds().findIndex(({ id }) => id === 'cins'),
  );
});

for (const [behaviour, value, message] of [
  ['not JSON', '[', /it is not JSON/],
  ['another base', { extends: 'mine' }, /extends can only be "built-in"/],
  [
    'an unknown field',
    { feed: [] },
    /the catalogue has the field feed; known are extends, enable, disable, feeds/,
  ],
  [
    'enabling what is not there',
    { extends: 'built-in', enable: ['gren'] },
    /enable names "gren", but there is no such feed/,
  ],
  ['a missing field', [{ id: 'a' }], /feeds\[0\] lacks url/],
  ['a misspelt field', [{ ...FEED, licens: 'MIT' }], /feeds\[0\] has the field licens/],
  ['an id with a slash', [{ ...FEED, id: '../a' }], /feeds\[0\]\.id is "\.\.\/a"/],
  [
    'an id that the cache uses itself',
    [{ ...FEED, id: 'lock' }],
    /feeds\[0\]\.id is "lock", but must be .* not lock/,
  ],
  [
    'another scheme',
    [{ ...FEED, url: 'ftp://example.com/a' }],
    /must be an https:, http: or file: URL/,
  ],
  ['credentials in a URL', [{ ...FEED, url: 'https://a:b@example.com/' }], /without a user name/],
  ['an unknown format', [{ ...FEED, format: 'cidr' }], /must be one of riswhois, iptoasn-tsv/],
  ['a format from the prototype', [{ ...FEED, format: 'constructor' }], /must be one of riswhois/],
  ['an unknown drive', [{ ...FEED, drives: ['is_bad'] }], /must be a list of some of routes/],
  [
    'a drive that the format cannot',
    [{ ...FEED, drives: ['routes'] }],
    /cidr-lines cannot drive routes; it can drive country/,
  ],
  [
    'a cloud without a name',
    [{ ...FEED, drives: ['cloud_provider'] }],
    /drives cloud_provider, so it needs the field provider/,
  ],
  [
    'networks without a type',
    [{ ...FEED, format: 'asn-csv', drives: ['connection_type'] }],
    /asn-csv names networks without their types, so it needs a connection_type/,
  ],
  ['an invalid pattern', [{ ...FEED, link: '(' }], /must be a regular expression/],
  ['one id twice', [FEED, FEED], /the feed ours is listed twice/],
] as const) {
  test(`catalogue: refused with the place: ${behaviour}`, () => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    assert.throws(() => parseCatalogue(text), message);
  });
}

for (const [behaviour, changes, want] of [
  [
    'a copy of a relay list is still that of a relay',
    { id: 'apple-relay', drives: ['is_vpn'] },
    { is_relay: true },
  ],
  [
    'a copy of a generic VPN list is still generic',
    { id: 'x4b-vpn-v4', drives: ['is_vpn'] },
    { is_generic: true },
  ],
  [
    'what the copy says comes first',
    { id: 'x4b-vpn-v4', drives: ['is_vpn'], is_generic: false },
    { is_generic: false },
  ],
  [
    'a copy of an aggregate contains the same lists',
    { id: 'et-block' },
    { contains: ['spamhaus-drop', 'dshield', 'feodo'] },
  ],
  [
    'limits are those of the copy',
    { id: 'apple-relay', drives: ['is_vpn'] },
    { min_records: 1, mode: 'on' },
  ],
  [
    'a feed with another id is what it says',
    { id: 'our-relay', drives: ['is_vpn'] },
    { is_relay: undefined },
  ],
] as const) {
  test(`catalogue: ${behaviour}`, () => {
    const [feed] = parseCatalogue(JSON.stringify([{ ...FEED, ...changes }])) as unknown as Record<
      string,
      unknown
    >[];
    for (const [field, value] of Object.entries(want))
      assert.deepEqual(feed?.[field], value, field);
  });
}

for (const [behaviour, changes, message] of [
  [
    'AS numbers as text',
    { asns: ['AS64500'] },
    /feeds\[0\]\.asns is \["AS64500"\], but must be a list of AS numbers$/,
  ],
  ['no AS number', { asns: [] }, /but must be a list of AS numbers$/],
  ['an AS number that does not exist', { asns: [4294967296] }, /but must be a list of AS numbers$/],
  ['an id that cannot be one', { contains: ['../x'] }, /but must be a list of ids of feeds$/],
  ['a fallback without an id', { fallback_for: true }, /but must be the id of a feed$/],
] as const) {
  test(`catalogue: refused: ${behaviour}`, () => {
    assert.throws(() => parseCatalogue(JSON.stringify([{ ...FEED, ...changes }])), message);
  });
}

test('catalogue: a list that is not for commercial use, or has unclear terms, is off', () => {
  const unclear =
    /non-commercial|not for commercial|not clear|no licence text$|none (?:found|given)|terms not read/;
  const on = builtInFeeds().filter(({ mode, drives, licence }) => {
    const isThirdParty = drives.some((drive) =>
      ['blocklist', 'is_proxy', 'connection_type'].includes(drive),
    );
    return mode === 'on' && isThirdParty && unclear.test(licence);
  });
  assert.deepEqual(on, []);
});

test('catalogue: a geofeed decides only for networks of its operator', () => {
  const unscoped = builtInFeeds().filter(({ format, drives, asns }) => {
    return format === 'geofeed' && drives.includes('country') && (asns ?? []).length === 0;
  });
  assert.deepEqual(
    unscoped.map(({ id }) => id),
    [],
  );
});
