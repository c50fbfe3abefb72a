/**
 * The files in deploy/, checked by the programs they are for, and against the settings and metrics
 * there are.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { until } from '@whence/testing/until';
import { parse } from 'yaml';
import { renderMetrics } from '../../metrics/metrics.ts';
import { settingsHelp } from '../../settings/config.ts';
import { blocksOf } from '../packages/page-blocks.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const deploy = join(import.meta.dirname, '../../../../deploy');
const scratch = mkdtempSync(join(tmpdir(), 'whence-deploy-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Why a test cannot run; false if it can. */
function without(program: string): string | false {
  const isThere = spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
  return isThere ? false : `${program} is not installed`;
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: deploy });
  assert.equal(status, 0, `${program}: ${stdout}${stderr}`);
  return stdout + stderr;
}

const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' });
const read = (file: string) => readFileSync(join(deploy, file), 'utf8');

test('deploy: systemd accepts the units', { skip: without('systemd-analyze') }, () => {
  const units = files
    .filter((file) => /\.(service|timer)$/.test(file))
    .map((file) => [file.replace('systemd/', ''), read(file)] as const);
  const inPages = ['whence-sync.service', 'whence-sync.timer'].flatMap((unit) =>
    blocksOf('docs/databases.md', `ini ${unit}`).map((text) => [unit, text] as const),
  );
  assert.deepEqual([units.length, inPages.length], [3, 2]);
  const copies = [...units, ...inPages].map(([unit, text]) => {
    const copy = join(scratch, unit);
    // The command is not installed where the tests run.
    writeFileSync(copy, text.replaceAll(/\/usr\/bin\/(whence|wh)\b/g, '/bin/true'));
    return copy;
  });
  assert.equal(run('systemd-analyze', ['verify', ...copies]), '');
});

test('deploy: the user of each unit is dynamic, or made', {
  skip: without('systemd-sysusers'),
}, () => {
  for (const unit of files.filter((file) => file.endsWith('.service'))) {
    const [, user] = /^User=(.*)$/m.exec(read(unit)) ?? [];
    if (user === undefined) assert.match(read(unit), /^DynamicUser=yes$/m, unit);
    else assert.match(read(unit.replace('.service', '.conf')), new RegExp(`^u ${user} - `, 'm'));
  }
  mkdirSync(join(scratch, 'root/etc'), { recursive: true });
  run('systemd-sysusers', [
    `--root=${join(scratch, 'root')}`,
    join(deploy, 'systemd/whence-build.conf'),
  ]);
  assert.match(readFileSync(join(scratch, 'root/etc/passwd'), 'utf8'), /^whence-build:/m);
});

for (const unit of ['whence.service', 'whence-build.service'])
  test(`deploy: systemd-analyze rates the exposure of ${unit} as low`, {
    skip: without('systemd-analyze'),
  }, () => {
    const report = run('systemd-analyze', [
      'security',
      '--offline=true',
      join(deploy, 'systemd', unit),
    ]);
    const [, level = ''] = /Overall exposure level for \S+: ([\d.]+)/.exec(report) ?? [];
    // Version 252 says 1.2; other versions weigh differently.
    assert.ok(Number(level) > 0 && Number(level) <= 1.5, report.slice(-200));
  });

const RULE_TESTS = ['whence-rules.test.yaml', 'whence-rules.weeks.test.yaml'];

test('deploy: Prometheus accepts the rules, and they fire when they should', {
  skip: without('promtool'),
}, () => {
  run('promtool', ['check', 'rules', 'prometheus/whence-rules.yaml']);
  for (const file of RULE_TESTS) run('promtool', ['test', 'rules', `prometheus/${file}`]);
});

test('deploy: every alert has a test in which it fires and one in which it does not', () => {
  const alerts = [...read('prometheus/whence-rules.yaml').matchAll(/- alert: (\w+)/g)].map(
    ([, name]) => name,
  );
  const tests = RULE_TESTS.map((file) => read(`prometheus/${file}`)).join('\n');
  assert.ok(alerts.length >= 12);
  for (const name of alerts) {
    assert.match(tests, new RegExp(`alertname: ${name}, exp_alerts: \\[\\]`));
    assert.match(tests, new RegExp(`expr: ALERTS{alertname="${name}",.*\\n +exp_samples:\\n`));
  }
});

test('deploy: every alert says what it means, how to look and what to do', () => {
  for (const { alert, annotations } of rulesFile().groups.flatMap((group) => group.rules)) {
    for (const name of ['summary', 'description', 'look', 'do'])
      assert.ok(annotations[name], `${alert}: ${name}`);
    assert.equal(
      annotations['runbook_url'],
      `https://github.com/whence/whence/blob/HEAD/docs/alerts.md#${alert.toLowerCase()}`,
    );
  }
});

type RulesFile = { groups: { rules: { alert: string; annotations: Record<string, string> }[] }[] };
function rulesFile(): RulesFile {
  return parse(read('prometheus/whence-rules.yaml')) as RulesFile;
}

test('deploy: every YAML file can be parsed', { skip: without('yamllint') }, () => {
  // Templates become YAML when they are rendered: chart.full.test.ts.
  const yaml = files.filter((file) => file.endsWith('.yaml') && !file.includes('/templates/'));
  assert.ok(yaml.length >= 4);
  run('yamllint', [
    '-d',
    '{extends: relaxed, rules: {line-length: {max: 160}}}',
    '--strict',
    ...yaml,
  ]);
});

test('deploy: rules and dashboard use metrics that a server shows', async () => {
  const folder = new TestFolder();
  folder.publish();
  const server = await startInProcess(folder, undefined, {}, { measuresWait: true });
  const metricsOf = () => renderMetrics(server.metrics(), {});
  try {
    await until('the wait of connections is measured', () => metricsOf().includes('accept_wait'));
    // Those of updates and of refusals are shown once there was one, those of rules and of a
    // mailbox where one is named, and ages of flags if their sources have a date; those of the log
    // and of workers are added by the first process.
    const elsewhere = [
      'whence_update_',
      'whence_dataset_flag_age_seconds',
      'whence_unavailable_total',
      'whence_key_refusals_total',
      'whence_rules_refused',
      'whence_report_mailbox_',
      'whence_list_held',
      'whence_log_lines_',
      'whence_worker_deaths_total',
    ];
    const shown = metricsOf();
    const used = new Set(
      ['prometheus/whence-rules.yaml', 'grafana/whence.json'].flatMap(
        (file) => read(file).match(/whence_[a-z_]+/g) ?? [],
      ),
    );
    const unknown = [...used]
      .filter((name) => !elsewhere.some((prefix) => name.startsWith(prefix)))
      .filter((name) => !shown.includes(`# TYPE ${name.replace(/_bucket$/, '')} `));
    assert.deepEqual(unknown, []);
    assert.ok(used.size > 15);
  } finally {
    await server.close();
    folder.remove();
  }
});

test('deploy: every setting in the files exists in the server', () => {
  const known = new Set(settingsHelp().match(/WHENCE_[A-Z_]+/g));
  // A variable of compose.replicas.yaml, for Caddy.
  known.add('WHENCE_DOMAIN');
  for (const file of files.filter((name) => /\.(yaml|service)$|Dockerfile|Caddyfile/.test(name))) {
    for (const name of read(file).match(/WHENCE_[A-Z_]+/g) ?? [])
      assert.ok(known.has(name), `${file}: ${name}`);
  }
});
