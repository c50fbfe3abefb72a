import assert from 'node:assert/strict';
import test from 'node:test';
import { fillDate, findLink } from './fetch-feed.ts';

for (const [behaviour, url, now, want] of [
  [
    'an address without a date stays',
    'https://example.com/list',
    '2026-10-07',
    'https://example.com/list',
  ],
  [
    'the date is that of the day before',
    'https://example.com/{yyyy}/{mm}/{dd}.gz',
    '2026-10-07',
    'https://example.com/2026/10/06.gz',
  ],
  [
    'over the turn of a year',
    'https://example.com/{yyyy}{mm}{dd}',
    '2027-01-01',
    'https://example.com/20261231',
  ],
  [
    'in UTC, to the last minute',
    'https://example.com/{dd}',
    '2026-10-07T23:59:59Z',
    'https://example.com/06',
  ],
  [
    'each may occur twice',
    'https://example.com/{yyyy}/{yyyy}-{mm}',
    '2026-10-07',
    'https://example.com/2026/2026-10',
  ],
] as const)
  test(`feed url: ${behaviour}`, () => assert.equal(fillDate(url, new Date(now)), want));

const PAGE_URL = 'https://example.com/download/details.aspx?id=1';
const PAGE = `<a href="/files/Tags_20260928.json">old</a> <a href="/files/Tags_20261005.json?a=1&amp;b=2">new</a>
<a href="https://cdn.example.net/other.csv">other</a> <a href="http://example.com/plain.txt">plain</a> <a href="ftp://example.com/x">x</a>
<a href="javascript:void(0)">y</a>`;

for (const [behaviour, pattern, want] of [
  [
    'the last match counts, and of it the group',
    'href="([^"]*Tags_\\d+\\.json[^"]*)"',
    'https://example.com/files/Tags_20261005.json?a=1&b=2',
  ],
  [
    'without a group the whole match',
    '/files/Tags_\\d+\\.json',
    'https://example.com/files/Tags_20261005.json',
  ],
  ['another host', 'https://[^"]+\\.csv', 'https://cdn.example.net/other.csv'],
] as const)
  test(`feed link: ${behaviour}`, () =>
    assert.deepEqual(findLink(PAGE, PAGE_URL, pattern), { kind: 'found', url: want }));

for (const [behaviour, pattern, reason] of [
  ['no match', 'nothing-like-this', /^the link to the file was not found on the page$/],
  ['an empty match', 'z*', /^the link to the file was not found on the page$/],
  [
    'an invalid expression',
    '(',
    /^the regular expression for the link cannot be used: Invalid regular expression/,
  ],
  [
    'an expression that backtracks without end',
    '(([a-z0-9./_ "<>=:]|\\s)+)+#',
    /^the regular expression for the link took more than 1 s on the page$/,
  ],
  [
    'another scheme',
    'ftp://[^"]+',
    /^the link on the page has the scheme ftp: and not https: or http:$/,
  ],
  ['a script', 'javascript:[^"]+', /^the link on the page has the scheme javascript:/],
  [
    'a link from https to http',
    'http://[^"]+',
    /^the link leads from https to http, which is refused$/,
  ],
] as const)
  test(`feed link: ${behaviour}`, () => {
    const link = findLink(PAGE, PAGE_URL, pattern);
    assert.match(link.kind === 'missing' ? link.reason : link.url, reason);
  });
