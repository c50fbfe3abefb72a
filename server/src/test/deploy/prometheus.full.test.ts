/**
 * A real Prometheus that scrapes a real server: every query of the dashboard can be run, and finds
 * something.
 */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { freePort } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { ServerProcess, TestFolder } from '../test-server.ts';

const deploy = join(import.meta.dirname, '../../../../deploy');
const skip =
  spawnSync('prometheus', ['--version']).error === undefined
    ? false
    : 'prometheus is not installed';

type Dashboard = { panels: { title: string; targets?: { expr: string }[] }[] };
type Answer = { status: string; error?: string; data?: { result: unknown[] } };

/** Shown with several workers, after an update, or after answers that this server has not given. */
const MAY_BE_EMPTY =
  /whence_update_|whence_worker_deaths_total|status!~|whence_unavailable_total|status="401"/;

test('deploy: Prometheus runs every query of the dashboard and every rule on a real server', {
  skip,
}, async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'whence-prometheus-'));
  const folder = new TestFolder();
  folder.publish();
  const { secret } = await folder.createKey();
  const port = await freePort();
  const metricsPort = await freePort();
  const server = await ServerProcess.start(folder, {
    WHENCE_METRICS_PORT: String(metricsPort),
    WHENCE_FIRST_KEY: 'off',
  });
  const configuration = `
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [${join(deploy, 'prometheus/whence-rules.yaml')}]
scrape_configs: [{job_name: whence, static_configs: [{targets: ["127.0.0.1:${metricsPort}"]}]}]
`;
  writeFileSync(join(scratch, 'prometheus.yml'), configuration);
  const options = [
    `--config.file=${scratch}/prometheus.yml`,
    `--storage.tsdb.path=${scratch}/data`,
  ];
  const prometheus = spawn('prometheus', [...options, `--web.listen-address=127.0.0.1:${port}`], {
    stdio: 'ignore',
  });
  const exited = once(prometheus, 'exit');
  const ask = async (path: string) =>
    (await (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()) as Answer & {
      data: never;
    };
  const query = (expr: string): Promise<Answer> => ask(`query?query=${encodeURIComponent(expr)}`);
  try {
    const lookup = async () =>
      assert.equal(
        (await fetch(`${server.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } })).status,
        200,
      );
    await until('two scrapes with requests', async () => {
      await lookup();
      const { data } = await query('rate(whence_requests_total{route="ip"}[1m]) > 0').catch(() => ({
        data: undefined,
      }));
      return (data?.result.length ?? 0) > 0;
    });
    const { panels } = JSON.parse(
      readFileSync(join(deploy, 'grafana/whence.json'), 'utf8'),
    ) as Dashboard;
    assert.ok(panels.length > 10);
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        const answer = await query(
          expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
        );
        assert.equal(answer.status, 'success', `${title}: ${answer.error}`);
        if (!MAY_BE_EMPTY.test(expr))
          assert.ok((answer.data?.result.length ?? 0) > 0, `${title}: ${expr} finds nothing`);
      }
    }
    const rules = JSON.stringify(await ask('rules'));
    assert.ok((rules.match(/"type":"alerting"/g) ?? []).length >= 10);
    assert.doesNotMatch(rules, /"health":"err"/);
  } finally {
    prometheus.kill('SIGTERM');
    await exited;
    await server.stop('SIGTERM');
    folder.remove();
    rmSync(scratch, { recursive: true, force: true });
  }
});
