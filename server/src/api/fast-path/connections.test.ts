/**
 * Connections of the fast path with answers of the test's own, which may be larger than the buffers
 * of both systems.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test from 'node:test';
import { until } from '@whence/testing/until';
import { paceConnections } from '../../http/server/paced-connections.ts';
import { pacerOf } from '../../http/server/request-pacer.ts';
import { FastPathConnections } from './connections.ts';

const LARGE = Buffer.alloc(64 << 20, 'a');
const SMALL = Buffer.from('small');
const REQUEST = 'GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\n\r\n';
const OTHER = 'GET /other HTTP/1.1\r\nHost: x\r\n\r\n';

for (const [behaviour, readMode, first, wantReleased] of [
  ['a new connection', 'shared-buffer', '', [SMALL]],
  // The second request waits for the pacer, and is Node's.
  ['a connection that Node has', 'shared-buffer', OTHER, [LARGE]],
  ['a connection that is read by data events', 'data-events', '', []],
] as const)
  test(`fast path: an answer that is not read keeps its memory and stops the reading: ${behaviour}`, async () => {
    const server = createServer((request, response) => {
      pacerOf(request.socket)?.begin(request, response);
      response.end('other');
    });
    paceConnections(server, readMode);
    const answers = [LARGE, SMALL];
    const released: Buffer[] = [];
    const release = (answer: Buffer) => void released.push(answer);
    const answer = () => answers.shift();
    const connections = new FastPathConnections(server, { answer, release }, readMode);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let received = 0;
    socket.on('data', (bytes) => {
      received += bytes.length;
    });
    if (first !== '') {
      socket.write(first);
      await until('it is answered', () => received > 0);
      received = 0;
    }
    socket.pause();
    socket.write(REQUEST);
    await until('the first is answered', () => answers.length === 1);
    socket.write(REQUEST);
    // A whole exchange on another connection: the second request has arrived by then.
    const other = connect(port, '127.0.0.1');
    other.write(OTHER);
    await once(other, 'data');
    other.destroy();
    assert.deepEqual(
      [answers.length, released.length],
      [1, 0],
      'the second is not answered, the first not released',
    );
    socket.resume();
    await until('both have come', () => received >= LARGE.length + SMALL.length, {
      state: () => received,
    });
    assert.deepEqual(released, wantReleased);
    socket.destroy();
    connections.destroyAll();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
