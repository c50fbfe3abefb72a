/** Messages of the MCP protocol as tests send them. */
export const message = (method: string, params: object = {}, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
  ...more,
});
export const call = (name: unknown, given: unknown) =>
  message('tools/call', { name, arguments: given });
export const LOOKUP = call('address', { ip: '8.8.8.8' });
export const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

export const NEW = '2026-07-28';
export const META = 'io.modelcontextprotocol/';
export const stateless = (
  version: unknown = NEW,
  more: object = { [`${META}clientCapabilities`]: {} },
) => ({
  _meta: { [`${META}protocolVersion`]: version, ...more },
});
