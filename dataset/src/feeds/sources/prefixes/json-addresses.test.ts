import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseJsonAddresses } from './json-lists.ts';

for (const [behaviour, document, want] of [
  [
    'the structure of Mullvad',
    [
      {
        hostname: 'se-got-001',
        ipv4_addr_in: '192.0.2.1',
        ipv6_addr_in: '2001:db8::1',
        active: true,
        network_port_speed: 10,
      },
    ],
    ['192.0.2.1/32', '2001:db8::1/128'],
  ],
  [
    'the structure of NordVPN',
    [
      {
        name: 'x',
        station: '192.0.2.1',
        ips: [{ ip: { id: 1, ip: '192.0.2.1', version: 4 } }, { ip: { ip: '192.0.2.2' } }],
      },
    ],
    ['192.0.2.1/32', '192.0.2.2/32'],
  ],
  [
    'the structure of Proton',
    {
      Code: 1000,
      LogicalServers: [
        { Servers: [{ EntryIP: '192.0.2.1', ExitIP: '192.0.2.2', Domain: 'x.example' }] },
      ],
    },
    ['192.0.2.1/32', '192.0.2.2/32'],
  ],
  [
    'the structure of IVPN',
    {
      wireguard: [{ hosts: [{ host: '192.0.2.1', local_ip: '172.16.0.1/12' }] }],
      openvpn: [{ hosts: [{ host: '192.0.2.2' }] }],
    },
    ['192.0.2.1/32', '172.16.0.0/12', '192.0.2.2/32'],
  ],
  [
    'the structure of AirVPN',
    {
      servers: [
        {
          public_name: 'Example',
          country_code: 'nl',
          ip_v4_in1: '192.0.2.1',
          ip_v4_in3: '192.0.2.3',
          ip_v6_in1: '2001:db8::1',
          currentload: 12,
          health: 'ok',
        },
      ],
      result: 'ok',
    },
    ['192.0.2.1/32', '192.0.2.3/32', '2001:db8::1/128'],
  ],
  [
    'the structure of Windscribe',
    {
      info: { revision: 1 },
      data: [
        {
          name: 'Example',
          dns_hostname: 'x.example',
          groups: [
            {
              ping_ip: '192.0.2.1',
              nodes: [{ ip: '192.0.2.2', ip2: '192.0.2.3', hostname: 'x.example' }],
            },
          ],
        },
      ],
    },
    ['192.0.2.1/32', '192.0.2.2/32', '192.0.2.3/32'],
  ],
  [
    'the structure of PrivadoVPN',
    {
      servers: [
        { name: 'x-001', city: 'Example', country: 'nl', ip: '192.0.2.1', hostname: 'x.example' },
      ],
    },
    ['192.0.2.1/32'],
  ],
  [
    'the structure of RiseupVPN',
    {
      gateways: [
        {
          host: 'x.example',
          ip_address: '192.0.2.1',
          capabilities: { transport: [{ ports: ['443'] }] },
        },
      ],
    },
    ['192.0.2.1/32'],
  ],
  ['no addresses', { error: 'not today', date: '2024-02-27 01:02:03', port: 80, none: null }, []],
] as const) {
  test(`json-addresses: ${behaviour}`, () => {
    const read = parseJsonAddresses(bytesContent(JSON.stringify(document)));
    assert.deepEqual(listed(read), want);
    assert.equal(read.skipped, 0);
  });
}

const PIA =
  '{"groups":{"wg":[{"name":"wireguard","ports":[1337]}]},"regions":[{"id":"x","country":"NL","geo":false,' +
  '"dns":"x.example","servers":{"meta":[],"wg":[{"ip":"192.0.2.1","cn":"x401"}]}}]}';
for (const [behaviour, text] of [
  ['the structure of PIA, with its signature', `${PIA}\n\nAbc+/9==\nQUJD\n`],
  ['a document on several lines', PIA.replaceAll('{', '{\n')],
  ['a line break at the end', `${PIA}\n`],
] as const)
  test(`json-addresses: ${behaviour}`, () =>
    assert.deepEqual(listed(parseJsonAddresses(bytesContent(text))), ['192.0.2.1/32']));

test('json-addresses: deep nesting, a key that objects inherit, and a very long list', () => {
  const depth = 30_000;
  const deep = `${'[{"__proto__":'.repeat(depth)}"192.0.2.1"${'}]'.repeat(depth)}`;
  assert.deepEqual(listed(parseJsonAddresses(bytesContent(deep))), ['192.0.2.1/32']);
  const long = JSON.stringify(Array.from({ length: 150_000 }, () => '192.0.2.1'));
  assert.deepEqual(listed(parseJsonAddresses(bytesContent(long))), ['192.0.2.1/32']);
});

for (const text of ['"192.0.2.1"', '5', 'null']) {
  test(`json-addresses: refused: ${text}`, () => {
    assert.throws(
      () => parseJsonAddresses(bytesContent(text)),
      new Error('not a list of servers: neither a list nor an object'),
    );
  });
}
