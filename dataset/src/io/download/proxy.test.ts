import assert from 'node:assert/strict';
import test from 'node:test';
import { proxyFor, readProxyVariables } from './proxy.ts';

const proxyOf = (url: string, environment: Record<string, string>) => {
  const found = proxyFor(new URL(url), readProxyVariables(environment));
  return found === undefined ? 'direct' : `${found.variable} ${found.url.href}`;
};

for (const [behaviour, url, environment, want] of [
  ['none is set', 'https://a.example/', {}, 'direct'],
  [
    'https by HTTPS_PROXY',
    'https://a.example/',
    { HTTPS_PROXY: 'http://p.example:3128' },
    'HTTPS_PROXY http://p.example:3128/',
  ],
  ['http not by HTTPS_PROXY', 'http://a.example/', { HTTPS_PROXY: 'http://p.example' }, 'direct'],
  [
    'http by HTTP_PROXY',
    'http://a.example/',
    { HTTP_PROXY: 'http://p.example' },
    'HTTP_PROXY http://p.example/',
  ],
  [
    'either by ALL_PROXY',
    'http://a.example/',
    { ALL_PROXY: 'http://p.example' },
    'ALL_PROXY http://p.example/',
  ],
  [
    'that of the scheme before ALL_PROXY',
    'https://a.example/',
    { all_proxy: 'http://p.example', HTTPS_PROXY: 'http://q.example' },
    'HTTPS_PROXY http://q.example/',
  ],
  [
    'lower case before upper case',
    'http://a.example/',
    { HTTP_PROXY: 'http://p.example', http_proxy: 'http://q.example' },
    'http_proxy http://q.example/',
  ],
  [
    'an empty variable is not set',
    'http://a.example/',
    { http_proxy: '', ALL_PROXY: '' },
    'direct',
  ],
  [
    'without a scheme',
    'http://a.example/',
    { http_proxy: 'p.example:3128' },
    'http_proxy http://p.example:3128/',
  ],
  [
    'with a password',
    'http://a.example/',
    { http_proxy: 'me:secret@p.example' },
    'http_proxy http://me:secret@p.example/',
  ],
  ['not for localhost', 'http://localhost:8080/', { http_proxy: 'p.example' }, 'direct'],
  ['not for the IPv4 loopback', 'http://127.1.2.3/', { http_proxy: 'p.example' }, 'direct'],
  ['not for the IPv6 loopback', 'http://[::1]:80/', { http_proxy: 'p.example' }, 'direct'],
] as const)
  test(`proxy: ${behaviour}`, () => assert.equal(proxyOf(url, environment), want));

for (const [noProxy, url, isDirect] of [
  ['*', 'https://a.example/', true],
  ['a.example', 'https://a.example/', true],
  ['a.example', 'https://b.a.example/', true],
  ['a.example', 'https://ba.example/', false],
  ['.a.example', 'https://a.example/', true],
  ['.a.example', 'https://b.a.example/', true],
  ['*.a.example', 'https://b.a.example/', true],
  ['A.Example', 'https://a.example/', true],
  ['a.example.', 'https://a.example/', true],
  ['a.example', 'https://a.example./', true],
  ['b.example, a.example', 'https://a.example/', true],
  ['b.example a.example', 'https://a.example/', true],
  [',', 'https://a.example/', false],
  ['.', 'https://a.example/', false],
  ['a.example:443', 'https://a.example/', true],
  ['a.example:8443', 'https://a.example/', false],
  ['a.example:8443', 'https://a.example:8443/', true],
  ['192.0.2.1', 'https://192.0.2.1/', true],
  ['192.0.2.1', 'https://192.0.2.11/', false],
  ['192.0.2.1:80', 'https://192.0.2.1/', false],
  ['192.0.2.0/24', 'https://192.0.2.200/', true],
  ['192.0.2.0/24', 'https://198.51.100.1/', false],
  ['192.0.2.0/24', 'https://a.example/', false],
  ['192.0.2.0/33', 'https://192.0.2.1/', false],
  ['192.0.2.0/x', 'https://192.0.2.1/', false],
  ['0.0.0.0/0', 'https://192.0.2.1/', true],
  ['2001:db8::/32', 'https://[2001:db8::1]/', true],
  ['2001:db8::/32', 'https://192.0.2.1/', false],
  ['2001:DB8:0::1', 'https://[2001:db8::1]/', true],
  ['[2001:db8::1]', 'https://[2001:db8::1]/', true],
  ['[2001:db8::1]:443', 'https://[2001:db8::1]/', true],
  ['[2001:db8::1]:80', 'https://[2001:db8::1]/', false],
] as const)
  test(`proxy: with NO_PROXY=${noProxy}, ${url} is ${isDirect ? 'reached directly' : 'not'}`, () => {
    const found = proxyOf(url, { HTTPS_PROXY: 'http://p.example', NO_PROXY: noProxy });
    assert.equal(found === 'direct', isDirect);
  });

for (const [behaviour, value, want] of [
  [
    'another scheme',
    'socks5://me:secret@p.example',
    'names a proxy with the scheme socks5: but only http: and https: work',
  ],
  ['no URL', 'http://[', 'is not the URL of a proxy'],
] as const)
  test(`proxy: refuses ${behaviour}, without its password`, () =>
    assert.throws(() => proxyOf('http://a.example/', { http_proxy: value }), {
      message: `http_proxy ${want}`,
    }));
