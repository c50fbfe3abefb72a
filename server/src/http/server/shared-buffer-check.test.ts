import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import test from 'node:test';
import type { Logger } from '../../log/log.ts';
import { checkSharedBuffer, chooseReadMode } from './shared-buffer-check.ts';
import { SharedBufferSocket } from './shared-buffer-socket.ts';

/** What Node would have to change, and what the check then says. */
for (const [behaviour, take, want] of [
  ['connections are as expected', SharedBufferSocket.take, /^undefined$/],
  [
    'a connection cannot be taken over',
    () => {
      throw new Error('no handle');
    },
    /no handle/,
  ],
  [
    'a connection that was taken over is not read',
    (accepted: Socket) => SharedBufferSocket.take(accepted).pause(),
    /^no answer within 300 ms$/,
  ],
  [
    'the parser reads the connection itself',
    (accepted: Socket) => {
      const socket = SharedBufferSocket.take(accepted);
      const handle: object = (socket as unknown as { _handle: object })._handle;
      Object.defineProperty(handle, '_consumed', { get: () => false, set: () => {} });
      return socket;
    },
    /^(a read did not arrive|no answer within 300 ms)/,
  ],
] as const)
  test(`shared buffer check: ${behaviour}`, async () => {
    const timeoutMs = behaviour === 'connections are as expected' ? 30_000 : 300;
    assert.match(String(await checkSharedBuffer({ take, timeoutMs })), want);
  });

test('shared buffer check: where it fails, connections are read by data events, with a line in the log', async () => {
  const lines: unknown[] = [];
  const log = { warn: (...line: unknown[]) => lines.push(line) } as unknown as Logger;
  assert.equal(await chooseReadMode(log, async () => undefined), 'shared-buffer');
  assert.equal(lines.length, 0);
  assert.equal(await chooseReadMode(log, async () => 'no handle'), 'data-events');
  assert.match(JSON.stringify(lines), /"reason":"no handle".*connections are read by data events/);
});
