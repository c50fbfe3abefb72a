/**
 * `wh mcp` over standard input: with the official client, as its page configures clients, and line
 * by line.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import { Command } from '../command.ts';
import { bin, TestFolder } from '../test-server.ts';
import { INITIALIZE, LOOKUP, message, stateless } from './mcp-messages.ts';
import { CLIENT, clientFor, type Era, MCP_ZONE, testTransport } from './mcp-transport.ts';

const folder = new TestFolder();
let dns: ScriptedDnsServer;
before(async () => {
  folder.publish();
  dns = await startScriptedDnsServer(MCP_ZONE);
});
after(async () => {
  await dns.close();
  folder.remove();
});

async function overStdio(era: Era): Promise<Client> {
  const client = clientFor(era);
  const env = {
    ...folder.environment,
    WHENCE_DNS_SERVERS: dns.address,
    PATH: process.env['PATH'] ?? '',
  };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [bin, 'mcp'], env }),
  );
  return client;
}

testTransport('standard input, 2025', () => overStdio('legacy'));
testTransport('standard input, 2026', () => overStdio('modern'));

test('mcp page: a client connects with the configuration shown', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/mcp.md'), 'utf8');
  const [, json = ''] = /^```json\n(.*?)^```$/ms.exec(page) ?? [];
  const { command, args, env } = JSON.parse(json).mcpServers.whence;
  assert.deepEqual([command, Object.keys(env)], ['wh', ['WHENCE_DATA_DIR']]);
  const client = clientFor('legacy');
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, ...args],
      env: folder.environment,
    }),
  );
  assert.equal((await client.listTools()).tools.length, 6);
  await client.close();
});

test('mcp: without a dataset, the command says how to build one', async () => {
  const empty = new TestFolder();
  const { code, stdout, stderr } = await new Command(['mcp'], empty.environment).ended;
  empty.remove();
  assert.deepEqual([code, stdout], [3, '']);
  assert.match(stderr, /there is no dataset in .*; build one with: npx wh dataset build/);
});

test('mcp: the command ends with its input, and writes messages of the protocol only', async () => {
  const program = new Command(['mcp'], folder.environment, { stdio: ['pipe', 'pipe', 'pipe'] });
  program.child.stdin?.write(
    `not a message\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT } })}\n`,
  );
  await program.printed(/"serverInfo"/);
  program.child.stdin?.end();
  const { code, stdout } = await program.ended;
  assert.equal(code, 0);
  for (const line of stdout.trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
});

/** The answers of `wh mcp` to these lines, by id. */
async function answersTo(lines: readonly (string | object)[], isDone: (output: string) => boolean) {
  const program = new Command(['mcp'], folder.environment, { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  program.child.stdout?.on('data', (text) => {
    output += text;
  });
  for (const line of lines)
    program.child.stdin?.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  await until('the answers', () => isDone(output));
  program.child.stdin?.end();
  const { code, stderr } = await program.ended;
  assert.deepEqual([code, stderr], [0, '']);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('mcp messages: standard input has the same answers, one line each, and nothing else is written', async () => {
  const hostile = message('initialize', {
    ...INITIALIZE,
    clientInfo: { icons: new Array(100_000).fill(1) },
  });
  const answers = await answersTo(
    [
      'no JSON',
      '',
      [LOOKUP],
      hostile,
      `{"jsonrpc":"2.0","id":"long","method":"${'x'.repeat(1_000_000)}"}`,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      message('tools/call', { name: 'address', arguments: { ip: '8.8.8.8' } }, { id: 'call' }),
      message('tools/list', stateless(), { id: 'list' }),
    ],
    (output) => output.includes('"call"') && output.includes('"list"'),
  );
  assert.deepEqual(
    answers.slice(0, 4).map(({ id, error }) => [id, error.code]),
    [
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32600],
    ],
  );
  assert.equal(answers.find(({ id }) => id === 'call').result.structuredContent.asn, 15169);
  assert.equal(answers.find(({ id }) => id === 'list').result.tools.length, 6);
  assert.equal(answers.length, 6);
});

test('mcp messages: calls that wait when standard input ends are answered', async () => {
  const program = new Command(['mcp'], folder.environment, { stdio: ['pipe', 'pipe', 'pipe'] });
  program.child.stdin?.end(JSON.stringify(LOOKUP));
  const { code, stdout } = await program.ended;
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).result.structuredContent.asn, 15169);
});
