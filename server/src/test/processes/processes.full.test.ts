/**
 * What holds across processes, on real ones: workers, kills, restarts, a new dataset under load.
 */

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish, useVersion } from '@whence/dataset/versions';
import { freePort } from '@whence/testing/programs';
import { periodPasses, until } from '@whence/testing/until';
import { type Answer, ask, askMany, startLoad, workersOf } from '../http/requests.ts';
import { SAMPLE, ServerProcess, TestFolder } from '../test-server.ts';

async function withServer(
  environment: Record<string, string>,
  work: (server: ServerProcess, folder: TestFolder) => Promise<void>,
): Promise<void> {
  const folder = new TestFolder();
  try {
    folder.publish();
    // A key of the test's own, so that no first key is made and printed.
    await folder.createKey({ name: 'not the first start' });
    const server = await ServerProcess.start(folder, environment);
    try {
      await work(server, folder);
    } finally {
      await server.stop('SIGKILL');
    }
  } finally {
    folder.remove();
  }
}

test('processes: 1,500 concurrent requests on a Free key with two workers give exactly 1,000 answers', async () => {
  await withServer({ WHENCE_WORKERS: '2' }, async (server, folder) => {
    assert.equal(workersOf(server).length, 2);
    const { secret } = await folder.createKey({ tier: 'free' });
    assert.deepEqual(await askMany(server.url, secret, 1500), { 200: 1000, 429: 500 });
  });
});

test('processes: a worker killed under load is replaced, and the limit is never exceeded', async () => {
  await withServer({ WHENCE_WORKERS: '2' }, async (server, folder) => {
    const { secret } = await folder.createKey({ tier: 'free' });
    const before = workersOf(server);
    const load = startLoad(server.url, secret, 900);
    await until('requests are answered', () => load.answered() > 50);
    process.kill(before[0] as number, 'SIGKILL');
    const first = await load.ended;
    await until('a worker was started in its place', () =>
      workersOf(server).some((pid) => !before.includes(pid)),
    );
    const second = await askMany(server.url, secret, 900);
    const admitted = (first[200] ?? 0) + (second[200] ?? 0);
    assert.ok(admitted <= 1000, `${admitted} admitted`);
    // What was lost: answers that were counted and cut off, and the lease of the dead worker.
    assert.ok(admitted + (first[0] ?? 0) >= 990, `only ${admitted} admitted, ${first[0]} cut off`);
    assert.ok((second[429] ?? 0) > 0);
  });
});

test('processes: a port that the system picked stays the same when all workers are killed at once', async () => {
  await withServer({ WHENCE_WORKERS: '2', WHENCE_PORT: '0' }, async (server) => {
    const before = workersOf(server);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await until('a worker that was started later answers', async () => {
      const { status } = await ask(`${server.url}/healthz`, '');
      return status === 200 && !workersOf(server).some((pid) => before.includes(pid));
    });
  });
});

for (const host of ['127.0.0.1', '::'])
  test(`processes: connections to ${host} that are made while all workers are dead are answered`, async () => {
    await withServer({ WHENCE_WORKERS: '2', WHENCE_HOST: host }, async (server) => {
      const before = workersOf(server);
      for (const pid of before) process.kill(pid, 'SIGKILL');
      await until(
        'both workers are dead',
        () => !workersOf(server).some((pid) => before.includes(pid)),
      );
      const { port } = new URL(server.url);
      const answers = Array.from({ length: 20 }, () => fetch(`http://127.0.0.1:${port}/healthz`));
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)], [200]);
    });
  });

test('processes: a new version under load loses no request, mixes no answers, and is served by all workers; so is a rollback', async () => {
  const named = (name: string) => ({ ...SAMPLE, routes: [['8.8.8.0/24', 15169, name] as const] });
  await withServer({ WHENCE_WORKERS: '2' }, async (server, folder) => {
    const { secret } = await folder.createKey();
    publish(folder.dataDir, sampleContent(named('Version Two')), new Date());
    let isRunning = true;
    const seen: { version: number; name: string }[] = [];
    const failures: Answer[] = [];
    /** How often each connection has seen another version than before. */
    const changes = new Array<number>(8).fill(0);
    const last = new Array<number>(8).fill(0);
    const clients = Array.from({ length: 8 }, async (_, i) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (isRunning) {
        const answer = await ask(`${server.url}/v1/ip/8.8.8.${i}`, secret, agent);
        if (answer.status !== 200) failures.push(answer);
        else {
          const { data, meta } = JSON.parse(answer.text);
          if (last[i] !== 0 && meta.dataset_version !== last[i]) changes[i] = (changes[i] ?? 0) + 1;
          last[i] = meta.dataset_version;
          seen.push({ version: meta.dataset_version, name: data.asn_name });
        }
      }
      agent.destroy();
    });
    // Whether a connection goes back to an older version afterwards is seen in the number of its
    // changes.
    const settles = (version: number) =>
      until(`version ${version} is everywhere`, () => last.every((got) => got === version));
    try {
      await settles(2);
      useVersion(folder.dataDir, 1);
      await settles(1);
      publish(folder.dataDir, sampleContent(named('Version Three')), new Date());
      await settles(3);
      await until('there was some load', () => seen.length > 500);
    } finally {
      isRunning = false;
      await Promise.all(clients);
    }
    assert.deepEqual(failures, []);
    // To 2, which a client may have begun with, back to 1, and to 3: on one connection never back
    // and forth.
    assert.ok(
      changes.every((count) => count === 2 || count === 3),
      String(changes),
    );
    const names: Record<number, string> = { 1: 'Google LLC', 2: 'Version Two', 3: 'Version Three' };
    for (const { version, name } of seen) assert.equal(name, names[version]);
  });
});

test('processes: a damaged new version is not served; the old one stays, and /readyz reports it', async () => {
  await withServer({}, async (server, folder) => {
    const { secret } = await folder.createKey();
    // Made elsewhere, so that the server never sees it whole.
    const other = new TestFolder();
    other.publish();
    publish(other.dataDir, sampleContent({ routes: [['8.8.8.0/24', 1, 'Broken']] }), new Date());
    const bytes = readFileSync(`${other.dataDir}/datasets/000002.whence`);
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] as number) ^ 1;
    writeFileSync(`${folder.dataDir}/datasets/000002.whence`, bytes);
    copyFileSync(
      `${other.dataDir}/datasets/manifest.json`,
      `${folder.dataDir}/datasets/manifest.json`,
    );
    other.remove();
    const readyz = async () => JSON.parse((await ask(`${server.url}/readyz`, '')).text).data;
    await until(
      'the damage is noticed',
      async () => (await readyz()).checks.dataset === 'fallback',
    );
    assert.deepEqual([(await readyz()).status, (await readyz()).dataset_version], ['ready', 1]);
    const { status, text } = await ask(`${server.url}/v1/ip/8.8.8.8`, secret);
    assert.deepEqual([status, JSON.parse(text).meta.dataset_version], [200, 1]);
  });
});

test('processes: on SIGTERM the server finishes requests in flight and exits with 0', async () => {
  await withServer({ WHENCE_WORKERS: '2' }, async (server, folder) => {
    const { secret } = await folder.createKey();
    const load = startLoad(server.url, secret, 300);
    await until('requests are answered', () => load.answered() > 0, { everyMs: 1 });
    const code = await server.stop();
    assert.equal(code, 0);
    const statuses = await load.ended;
    // Requests that had not reached the server by then are refused at the door; none is cut off
    // half-way or fails.
    assert.deepEqual(
      Object.keys(statuses).filter((status) => !['200', '0'].includes(status)),
      [],
    );
    assert.ok((statuses[200] ?? 0) > 0);
  });
});

test('processes: metrics are added up over workers', async () => {
  const port = String(await freePort());
  await withServer({ WHENCE_WORKERS: '2', WHENCE_METRICS_PORT: port }, async (server, folder) => {
    const { secret } = await folder.createKey();
    await askMany(server.url, secret, 200);
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.match(text, /\nwhence_requests_total\{route="ip",status="200"\} 200\n/);
    assert.match(text, /\nwhence_request_duration_seconds_count\{route="ip"\} 200\n/);
    assert.match(text, /\nwhence_workers 2\n/);
    assert.match(text, /\nwhence_dataset_version 1\n/);
  });
});

test('processes: counters do not go down when a worker dies', async () => {
  const port = String(await freePort());
  await withServer({ WHENCE_WORKERS: '2', WHENCE_METRICS_PORT: port }, async (server, folder) => {
    const { secret } = await folder.createKey();
    const metrics = async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return (series: string) =>
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(`${series} `))
            ?.split(' ')[1],
        );
    };
    const answered = 'whence_requests_total{route="ip",status="200"}';
    await askMany(server.url, secret, 200);
    assert.equal((await metrics())(answered), 200);
    await askMany(server.url, secret, 100);
    // Workers report once a second without being asked; a request for metrics would ask them.
    await periodPasses(2_500);
    const before = workersOf(server);
    process.kill(before[0] as number, 'SIGKILL');
    await until('a worker was started in its place', async () => {
      assert.ok((await metrics())(answered) >= 300);
      return workersOf(server).some((pid) => !before.includes(pid));
    });
    const after = await metrics();
    assert.deepEqual([after(answered), after('whence_worker_deaths_total')], [300, 1]);
    assert.equal(after('whence_request_duration_seconds_count{route="ip"}'), 300);
  });
});

test('processes: started with a damaged current version, workers serve the newest one that is whole', async () => {
  const folder = new TestFolder();
  try {
    folder.publish();
    publish(folder.dataDir, sampleContent({ routes: [['8.8.8.0/24', 1, 'Broken']] }), new Date());
    truncateSync(`${folder.dataDir}/datasets/000002.whence`, 1000);
    const { secret } = await folder.createKey();
    const port = String(await freePort());
    const server = await ServerProcess.start(folder, {
      WHENCE_WORKERS: '2',
      WHENCE_METRICS_PORT: port,
    });
    try {
      const { status, text } = await ask(`${server.url}/v1/ip/8.8.8.8`, secret);
      assert.deepEqual([status, JSON.parse(text).meta.dataset_version], [200, 1]);
      const ready = await ask(`${server.url}/readyz`, '');
      assert.deepEqual(
        [ready.status, JSON.parse(ready.text).data.checks.dataset],
        [200, 'fallback'],
      );
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      assert.match(metrics, /\nwhence_dataset_fallback 1\n/);
    } finally {
      await server.stop('SIGKILL');
    }
  } finally {
    folder.remove();
  }
});

test('processes: a rolling update with broken rules or overrides stops at the first process; the old ones continue', async () => {
  const rules = 'sets: {default: {default: deny}}';
  const overrides = '{"deny": []}';
  const folder = new TestFolder();
  const started: ServerProcess[] = [];
  try {
    folder.publish();
    const { secret } = await folder.createKey({ permissions: ['decide:read', 'ip:read'] });
    const paths = ['rules.yaml', 'own.json'].map((name) => join(folder.dataDir, name)) as [
      string,
      string,
    ];
    const start = async (workers: string) => {
      const files = { WHENCE_RULES: paths[0], WHENCE_OVERRIDES: paths[1] };
      started.push(await ServerProcess.start(folder, { ...files, WHENCE_WORKERS: workers }));
      return started.at(-1) as ServerProcess;
    };
    /** Asked over several connections, which usually reach each worker. */
    const readiness = async (server: ServerProcess) =>
      new Set(
        await Promise.all(
          Array.from({ length: 8 }, async () => {
            const { status, text } = await ask(`${server.url}/readyz`, secret);
            const { rules: r, overrides: o } = JSON.parse(text).data.checks;
            return `${status} ${r} ${o}`;
          }),
        ),
      );
    const decision = async (server: ServerProcess) =>
      (await ask(`${server.url}/v1/decide?ip=8.8.8.8`, secret)).status;
    writeFileSync(paths[0], rules);
    writeFileSync(paths[1], overrides);
    const old = await start('1');
    assert.deepEqual(
      [[...(await readiness(old))], await decision(old)],
      [['200 ok undefined'], 403],
    );
    for (const [broken, expected] of [
      [['sets: {default: {default: maybe}}', overrides], 'refused undefined'],
      [[rules, '{"deny": [{"prefx": 1}]}'], 'ok refused'],
    ] as const) {
      paths.forEach((path, i) => {
        writeFileSync(path, broken[i] as string);
      });
      const next = await start('2');
      assert.deepEqual([...(await readiness(next))], [`503 ${expected}`]);
      assert.equal(await decision(next), expected.startsWith('ok') ? 403 : 503);
      assert.equal((await ask(`${next.url}/v1/ip/8.8.8.8`, secret)).status, 200);
      await until('the old process has seen it', async () =>
        (await readiness(old)).has(`200 ${expected}`),
      );
      assert.equal(await decision(old), 403);
      writeFileSync(paths[0], rules);
      writeFileSync(paths[1], overrides);
      // A worker that is ready may take all connections for a moment, so the decision is waited for
      // too.
      await until(
        'all workers are ready',
        async () =>
          [...(await readiness(next))].join() === '200 ok undefined' &&
          (await decision(next)) === 403,
      );
      await next.stop('SIGKILL');
    }
  } finally {
    for (const server of started) await server.stop('SIGKILL');
    folder.remove();
  }
});
