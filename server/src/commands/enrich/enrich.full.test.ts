/** `wh enrich` as a process: standard input, pipes, signals, a full disk, memory. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';
import { until } from '@whence/testing/until';
import { bin, TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
const logs = join(folder.dataDir, 'logs');
before(() => {
  folder.publish();
  mkdirSync(logs);
});
after(() => folder.remove());

const GOOGLE =
  '{"ip":"8.8.8.8","prefix":"8.8.8.0/24","asn":15169,"asn_name":"Google LLC","country":"US","connection_type":"datacenter","flags":["datacenter"],"threat":{"score":0}}';

function enrichInput(input: string | Buffer, ...options: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'enrich', ...options], {
    input,
    env: { ...process.env, WHENCE_DATA_DIR: folder.dataDir },
  });
  return { status, stdout: stdout.toString(), stderr: stderr.toString() };
}

test('enrich: a usage error does not wait for the end of the input', async () => {
  const child = start('--as', 'x');
  child.stdin.write('8.8.8.8\n');
  assert.deepEqual(await once(child, 'exit'), [2, null]);
});

test('enrich: from standard input, also as -', () => {
  for (const options of [[], ['-']]) {
    const { status, stdout, stderr } = enrichInput('8.8.8.8\n', '--fields', 'asn', ...options);
    assert.deepEqual([status, stdout], [0, '8.8.8.8\t{"asn":15169}\n'], stderr);
  }
  assert.equal(
    enrichInput(gzipSync('{"ip":"8.8.8.8"}'), '--fields', 'asn').stdout,
    '{"ip":"8.8.8.8","whence":{"asn":15169}}',
  );
});

test('enrich: each line is written before the next one is read', async () => {
  const child = start();
  for (let round = 0; round < 3; round++) {
    child.stdin.write('8.8.8.8\n');
    const [bytes] = await once(child.stdout, 'data');
    assert.equal(String(bytes), `8.8.8.8\t${GOOGLE}\n`);
  }
  child.stdin.end();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('enrich: a closed pipe ends it without an error', async () => {
  const child = start();
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  const exit = once(child, 'exit');
  child.stdin.write('8.8.8.8\n'.repeat(1000));
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const feed = setInterval(() => child.stdin.write('8.8.8.8\n'.repeat(10_000)), 5);
  const [code] = await exit;
  clearInterval(feed);
  assert.deepEqual([code, stderr], [0, '']);
});

test('enrich: an interrupt leaves no file', async () => {
  const output = join(logs, 'interrupted.log');
  const child = start('--output', output);
  child.stdin.write('8.8.8.8\n'.repeat(1000));
  const hasStarted = () =>
    readdirSync(logs).some(
      (name) => name.startsWith('interrupted.log.') && statSync(join(logs, name)).size > 0,
    );
  await until('the output has begun', hasStarted);
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGINT']);
  assert.ok(!existsSync(output));
  assert.deepEqual(
    readdirSync(logs).filter((name) => name.startsWith('interrupted')),
    [],
  );
});

test('enrich: a full disk is an error and leaves no file', () => {
  // A file size limit simulates a full disk: a write fails in the middle.
  writeFileSync(join(logs, 'much.log'), '8.8.8.8\n'.repeat(20_000));
  const limit = 'trap "" XFSZ; ulimit -f 100; exec "$@"';
  const argv = [bin, 'enrich', join(logs, 'much.log'), '--output', join(logs, 'full-disk.log')];
  const { status, stderr } = spawnSync('sh', ['-c', limit, 'sh', process.execPath, ...argv], {
    env: { ...process.env, WHENCE_DATA_DIR: folder.dataDir },
    encoding: 'utf8',
  });
  assert.equal(status, 3);
  assert.match(stderr, /^error: cannot write .*full-disk\.log: no space left \(EFBIG/);
  assert.deepEqual(
    readdirSync(logs).filter((name) => name.startsWith('full-disk')),
    [],
  );
});

test('enrich: memory does not grow with the input', () => {
  // 62 MB, of which 6 MB are one line; the process may use little more memory than at its start.
  writeFileSync(
    join(logs, 'large.log'),
    `${'8.8.8.8 GET /\n'.repeat(4_000_000)}${'x'.repeat(6_000_000)}\n`,
  );
  const script = `
    import { readFileSync } from 'node:fs';
    import { run } from ${JSON.stringify(join(import.meta.dirname, '../../main.js'))};
    await run(['enrich', ${JSON.stringify(join(logs, 'large.log'))}, '--fields', 'country'], process.env, { write: () => true }, process.stderr);
    // Not maxRSS, which begins with that of the process that started it.
    process.stdout.write(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    {
      env: { ...process.env, WHENCE_DATA_DIR: folder.dataDir },
      encoding: 'utf8',
    },
  );
  assert.match(stderr, /^4,000,001 lines, 4,000,000 addresses: /);
  assert.ok(Number(stdout) < 250_000, `${stdout} KB`);
});

function start(...options: string[]) {
  return spawn(process.execPath, [bin, 'enrich', ...options], {
    env: { ...process.env, WHENCE_DATA_DIR: folder.dataDir },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
