/**
 * Messages to the MCP endpoint: calls of tools, what clients send beside them, and hostile ones.
 */
export type McpMessage = {
  readonly name: string;
  readonly body: string;
  readonly statuses: readonly number[];
};

const message = (method: string, params: object = {}, more: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params, ...more });
const call = (name: string, given: object): McpMessage => ({
  name: `call of ${name}`,
  body: message('tools/call', { name, arguments: given }),
  statuses: [200],
});
const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'soak', version: '1' },
};

/** ADDRESS is replaced. */
export const CALLS: readonly McpMessage[] = [
  call('address', { ip: 'ADDRESS' }),
  call('address', { ip: 'ADDRESS', explain: true, include: ['routing', 'privacy'] }),
  call('batch', { ips: ['ADDRESS', '8.8.8.8', '2001:db8::1'] }),
  call('network', { asn: 4134, prefixes: 1_000 }),
  call('search', { query: 'tele', limit: 100 }),
  call('dataset', {}),
];

export const FREE_MESSAGES: readonly McpMessage[] = [
  message('initialize', INITIALIZE),
  message('notifications/initialized', {}, { id: undefined }),
  message('tools/list'),
  message('ping'),
].map((body) => ({ name: 'free message', body, statuses: [200, 202, 429] }));

/** Each would take seconds if it were parsed or validated as a whole. */
export function hostileMessages(): McpMessage[] {
  const numbers = new Array<number>(120_000).fill(1);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [i.toString(36), 1]));
  return [
    ['numbers in icons', message('initialize', { ...INITIALIZE, clientInfo: { icons: numbers } })],
    ['many members', message('tools/list', wide)],
    ['deep nesting', message('ping', { more: 'DEEP' }).replace('"DEEP"', deep)],
    ['a long id', message('ping', {}, { id: 'x'.repeat(200_000) })],
    ['numbers in a call', message('tools/call', { name: 'batch', arguments: { ips: numbers } })],
    [
      'a long address',
      message('tools/call', { name: 'address', arguments: { ip: '1'.repeat(200_000) } }),
    ],
  ].map(([name = '', body = '']) => ({ name, body, statuses: [200, 400, 413, 429] }));
}
