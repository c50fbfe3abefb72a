/** What every transport of the MCP server has in common, with the official client. */
import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';
import { Client } from '@modelcontextprotocol/client';

export type Era = 'legacy' | 'modern';
export const CLIENT = { name: 'test', version: '1.0.0' };
export const clientFor = (era: Era) =>
  new Client(
    CLIENT,
    era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  );

export type CallResult = { readonly isError?: boolean; readonly content: unknown };
export const textOf = ({ content }: { content: unknown }) =>
  (content as { text: string }[])[0]?.text ?? '';

export const MCP_ZONE = { 'example.com': { TXT: ['v=spf1 -all'] } };

export function testTransport(transport: string, connect: () => Promise<Client>): void {
  describe(`mcp over ${transport}`, () => {
    let client: Client;
    before(async () => {
      client = await connect();
    });
    after(() => client.close());

    test('the tools only read, and have schemas', async () => {
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['address', 'batch', 'network', 'search', 'domain', 'dataset'],
      );
      for (const { annotations, outputSchema, description } of tools) {
        assert.equal(annotations?.readOnlyHint, true);
        assert.ok(outputSchema && description);
      }
    });

    for (const [name, given, want] of [
      [
        'address',
        { ip: '8.8.8.8' },
        { asn: 15169, prefix: '8.8.8.0/24', flags: ['is_datacenter'] },
      ],
      ['address', { ip: '1.0.9.9', include: ['privacy'] }, { privacy: { kind: 'tor' } }],
      [
        'network',
        { asn: 'AS15169', prefixes: 1 },
        { asn_name: 'Google LLC', prefix_count: { ipv4: 1, ipv6: 1 } },
      ],
      ['network', { asn: 15169 }, { asn: 15169, asn_name: 'Google LLC' }],
      ['search', { query: 15169 }, { total: 1 }],
      ['search', { query: 'google' }, { total: 1 }],
      ['search', { query: 'google', cursor: '2-15169' }, { count: 0, total: 1 }],
      ['domain', { domain: 'example.com' }, { domain: 'example.com', dkim: [] }],
      ['dataset', {}, { version: 1, dated_flags: [] }],
    ] as const)
      test(`${name} ${JSON.stringify(given)}`, async () => {
        const result = await client.callTool({ name, arguments: given });
        assert.notEqual(result.isError, true, textOf(result));
        const structured = result.structuredContent as Record<string, unknown>;
        assert.deepEqual(JSON.parse(textOf(result)), structured);
        for (const [field, value] of Object.entries(want))
          assert.deepEqual(structured[field], value, field);
      });

    test('a batch has an entry for every text, with its error where there is no record', async () => {
      const { structuredContent } = await client.callTool({
        name: 'batch',
        arguments: {
          ips: [
            '8.8.8.8',
            '10.0.0.1',
            'x',
            '3.0.0.1',
            '9.0.0.1',
            '1.0.0.1',
            '1.0.0.2',
            '1.0.0.3',
            '1.0.0.4',
            '1.0.0.5',
            '1.0.0.6',
          ],
        },
      });
      const entries = structuredContent as Record<string, { code?: string; asn?: number }>;
      assert.equal(Object.keys(entries).length, 11);
      assert.equal(entries['8.8.8.8']?.asn, 15169);
      assert.equal(entries['10.0.0.1']?.code, 'NOT_FOUND');
      assert.equal(entries['x']?.code, 'INVALID_IP');
    });

    for (const [name, given, members] of [
      ['address', { ip: '8.8.8.8' }, ['evidence']],
      ['dataset', {}, ['figures', 'versions', 'flag_sources']],
    ] as const)
      test(`${name} has ${members.join(', ')} on request only`, async () => {
        const membersOf = async (explain: boolean) => {
          const result = await client.callTool({ name, arguments: { ...given, explain } });
          return Object.keys(result.structuredContent as object);
        };
        const compact = await membersOf(false);
        const explained = await membersOf(true);
        for (const member of members)
          assert.deepEqual(
            [compact.includes(member), explained.includes(member)],
            [false, true],
            member,
          );
      });

    for (const [behaviour, name, given, message] of [
      ['an invalid address', 'address', { ip: 'nonsense' }, /^invalid IP address \(INVALID_IP\)$/],
      [
        'a private address',
        'address',
        { ip: '10.0.0.1', explain: true },
        /^no data found for IP \(NOT_FOUND\): .*RFC 1918/,
      ],
      ['half of a surrogate pair', 'address', { ip: '\ud800' }, /INVALID_IP/],
      ['a path in the argument', 'address', { ip: '../asn/15169' }, /INVALID_IP/],
      [
        'a missing argument',
        'address',
        {},
        /^the argument ip is missing; the arguments are ip, explain, include$/,
      ],
      ['an argument of the wrong type', 'address', { ip: 8 }, /^the argument ip is invalid/],
      [
        'an unknown argument',
        'search',
        { query: 'google', limits: 1 },
        /^the arguments are query, limit, cursor$/,
      ],
      ['an unknown network', 'network', { asn: '1' }, /NOT_FOUND/],
    ] as const)
      test(`${behaviour} is an error of the tool with a readable message`, async () => {
        const result = await client.callTool({ name, arguments: given });
        assert.equal(result.isError, true);
        assert.match(textOf(result), message);
      });

    test('an unknown tool is an error of the protocol', async () => {
      await assert.rejects(
        client.callTool({ name: 'weather', arguments: {} }),
        /there is no tool weather/,
      );
    });
  });
}
