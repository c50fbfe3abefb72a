/**
 * Sends generated requests down the fast path and down Node's path, and compares the answers byte
 * by byte. Started by a test as a process of its own: in the process of a test, `node:test` follows
 * every promise and socket, which made the comparison take twice as long. Prints what it counted as
 * JSON; a difference ends it with an error that names the request.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@whence/testing/seeded-random';
import { RecognisedRequest } from '../../api/fast-path/recognised-request.ts';
import type { ReadMode } from '../../http/server/paced-connections.ts';
import { PERMISSIONS } from '../../vocabulary.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { COMPARED_RULES, generateRequest, type Keys } from './generated-requests.ts';
import { RawConnection } from './raw-connection.ts';

export type Comparison = {
  /** Requests that were compared. */
  readonly compared: number;
  /** How many of these have the form of a simple lookup or decision. */
  readonly recognised: number;
  /** Lookups and decisions that the fast path has answered, by the server's own count. */
  readonly answeredFast: number;
  /** Batches, odd ones included. */
  readonly batches: number;
  readonly fastPathBatches: number;
};

const CONNECTIONS = 16;

/**
 * What differs between two answers that are the same: ids, cache, time taken, date, and what
 * depends on these.
 */
const VARIABLE =
  /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|HIT|MISS|"processing_time_ms":\d+|\r\nDate: [^\r]+|\r\n[cC]ontent-[lL]ength: \d+|\r\nretry-after: \d+/g;

// Refused requests are errors inside the server, and their stacks are not looked at.
Error.stackTraceLimit = 0;

const [, , requests = '', seed = '', readMode = '', origins = ''] = process.argv;
const folder = new TestFolder();
folder.publish();
const rules = join(folder.dataDir, 'rules.yaml');
writeFileSync(rules, COMPARED_RULES);
// Some runs have overrides.
if (origins !== '')
  writeFileSync(
    join(folder.dataDir, 'overrides.json'),
    JSON.stringify({
      deny: [{ prefix: '8.8.8.8' }],
      relabel: [{ asn: 64500, connection_type: 'education', labels: ['customer'] }],
      networks: [
        { prefix: '10.0.0.0/8', asn: 64512, asn_name: 'Intranet' },
        { prefix: 'fd00::/8', asn: 64512 },
      ],
    }),
  );
// Both with and without a trusted proxy.
const proxies = origins === '' ? '' : '127.0.0.1';
const settings = { WHENCE_CORS_ORIGINS: origins, WHENCE_RULES: rules, WHENCE_TRUST_PROXY: proxies };
const server = await startInProcess(folder, undefined, settings, {
  readMode: readMode as ReadMode,
});
try {
  const keys = await createKeys();
  process.stdout.write(JSON.stringify(await compare(Number(requests), Number(seed), keys)));
} finally {
  await server.close();
  folder.remove();
}

async function createKeys(): Promise<Keys> {
  const [good, usedUp, noPermission] = await Promise.all([
    folder.createKey({ permissions: PERMISSIONS }),
    folder.createKey({ tier: 'free' }),
    folder.createKey({ permissions: ['asn:read'] }),
  ]);
  const keys = { good: good.secret, usedUp: usedUp.secret, noPermission: noPermission.secret };
  // A key that was never seen is looked for on Node's path, and its connection may be closed for
  // it.
  for (const key of Object.values(keys)) await askOnce(lookup('8.8.8.8', key));
  const connection = await RawConnection.open(server.url);
  for (let i = 0; i < 1_000; i++) await connection.ask(lookup('8.8.8.8', keys.usedUp));
  connection.close();
  return keys;
}

async function compare(count: number, seed: number, keys: Keys): Promise<Comparison> {
  const random = seededRandom(seed);
  const recogniser = new RecognisedRequest();
  const countFast = () => server.metrics().counters['whence_fast_path_lookups_total'] ?? 0;
  const fastBefore = countFast();
  let batches = 0;
  let left = count;
  let compared = 0;
  let recognised = 0;
  const client = async () => {
    let onFastPath: RawConnection | undefined;
    let forBatches: RawConnection | undefined;
    let onNodesPath: RawConnection | undefined;
    while (left-- > 0) {
      const { request, isBatch } = generateRequest(random, keys);
      const isSimple = recogniser.recognise(Buffer.from(request, 'latin1'), request.length);
      if (isBatch) batches++;
      if (onFastPath === undefined || onFastPath.isClosed)
        onFastPath = await RawConnection.open(server.url);
      if (onNodesPath === undefined || onNodesPath.isClosed)
        onNodesPath = await RawConnection.open(server.url);
      if (forBatches === undefined || forBatches.isClosed) forBatches = await openForBatches();
      // One after the other: an answer may say how much of a limit is left.
      const plain = await (isBatch && isSimple ? forBatches : onFastPath).ask(request);
      // A request that comes in two reads is Node's.
      const nodes = await onNodesPath.ask(request.slice(0, 1), request.slice(1));
      assert.equal(comparable(plain), comparable(nodes), JSON.stringify(request));
      compared++;
      if (isSimple) {
        if (!isBatch) recognised++;
        assert.ok(isOneAnswer(plain), `not as long as it says: ${JSON.stringify(plain)}`);
        continue;
      }
      // With data events this connection is on Node's path from here on.
      onFastPath.close();
      // What follows an odd request may already be the start of the next one.
      if (!isSelfContained(request)) onNodesPath.close();
    }
    onFastPath?.close();
    forBatches?.close();
    onNodesPath?.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client)).finally(() => {
    left = 0;
  });
  const fastPathBatches = server.metrics().counters['whence_fast_path_batches_total'] ?? 0;
  return { compared, recognised, answeredFast: countFast() - fastBefore, batches, fastPathBatches };
}

function lookup(target: string, key: string): string {
  return `GET /v1/ip/${target} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
}

/** Batches are answered on the fast path once Node has had a request of the connection. */
async function openForBatches(): Promise<RawConnection> {
  const connection = await RawConnection.open(server.url);
  await connection.ask('GET /healthz?x HTTP/1.1\r\nHost: x\r\n\r\n');
  return connection;
}

async function askOnce(request: string): Promise<void> {
  const connection = await RawConnection.open(server.url);
  await connection.ask(request);
  connection.close();
}

/**
 * Whether the request is certainly one, without anything behind it: it ends with its only blank
 * line.
 */
function isSelfContained(request: string): boolean {
  return request.indexOf('\r\n\r\n') === request.length - 4;
}

/** Whether the text is one answer, exactly as long as its head says. */
function isOneAnswer(received: string): boolean {
  if (/^HTTP\/1\.1 204 /.test(received))
    return received.indexOf('\r\n\r\n') === received.length - 4;
  const length = /^HTTP\/1\.1 \d{3} [^\r]*\r\n(?:[^\r]+\r\n)*?content-length: (\d+)\r\n/i.exec(
    received,
  )?.[1];
  return (
    length !== undefined && received.length === received.indexOf('\r\n\r\n') + 4 + Number(length)
  );
}

function comparable(answer: string): string {
  return answer.replace(VARIABLE, (text) => {
    const colon = text.indexOf(':');
    return colon === -1 ? '<id or cache>' : text.slice(0, colon).toLowerCase();
  });
}
