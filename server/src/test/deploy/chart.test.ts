/** The Helm chart, rendered: with its own values it is the manifests in deploy/kubernetes, which have tests of their own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { findProgram } from '@whence/testing/programs';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { renderTemplate } from './chart-renderer.ts';

const deploy = join(import.meta.dirname, '../../../../deploy');
const chart = join(deploy, 'helm/whence');
const read = (path: string) => readFileSync(path, 'utf8');
const values = parse(read(join(chart, 'values.yaml'))) as Record<string, unknown>;

type Manifest = { kind: string; metadata: { name: string }; spec?: unknown };

const manifestsOf = (yaml: string) =>
  parseAllDocuments(yaml)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);

function render(changes: Record<string, unknown> = {}, name = 'whence'): Manifest[] {
  const root = { Release: { Name: name }, Values: { ...values, ...changes } };
  return readdirSync(join(chart, 'templates')).flatMap((file) =>
    manifestsOf(renderTemplate(read(join(chart, 'templates', file)), root)),
  );
}

const sorted = (manifests: readonly Manifest[]) =>
  [...manifests].sort((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`));

test('chart: with its own values it is the Kubernetes manifests', () => {
  const files = readdirSync(join(deploy, 'kubernetes'));
  const manifests = files.flatMap((file) => manifestsOf(read(join(deploy, 'kubernetes', file))));
  assert.deepEqual(sorted(render()), sorted(manifests));
});

test('chart: another release name is in every name and label', () => {
  const manifests = render({ database: { secretName: 'database', secretKey: 'url', connections: 87 } }, 'other');
  for (const { metadata } of manifests) assert.match(metadata.name, /^other\b/);
  const names = JSON.stringify(manifests).match(/"app.kubernetes.io\/name":"[^"]*"/g) ?? [];
  assert.ok(names.length > 10);
  for (const name of names) assert.match(name, /:"other\b/);
});

test('chart: settings, a static host and no monitoring', () => {
  const manifests = render({
    builder: { ...(values['builder'] as object), enabled: false },
    datasetUrl: 'https://data.example.com/whence',
    settings: { WHENCE_LOG_LEVEL: 'warn' },
    serviceMonitor: false,
  });
  const kinds = manifests.map(({ kind }) => kind);
  assert.ok(!kinds.includes('CronJob') && !kinds.includes('ServiceMonitor'));
  const { data } = manifests.find(({ kind }) => kind === 'ConfigMap') as unknown as { data: Record<string, string> };
  assert.equal(data['WHENCE_DATASET_URL'], 'https://data.example.com/whence');
  assert.equal(data['WHENCE_LOG_LEVEL'], 'warn');
});

for (const [behaviour, changes, want] of [
  ['more connections than the database has', { maxReplicas: 7 }, /= 88 connections, more than .* \(87\)/],
  ['as many with more workers', { maxReplicas: 3, workers: 2 }, /= 88 connections/],
  ['neither a builder nor a static host', { builder: { enabled: false } }, /set datasetUrl, or builder.enabled/],
] as const)
  test(`chart: refused: ${behaviour}`, () => assert.throws(() => render(changes), want));

// Not skipped without it: Helm is in neither registry that the tests are installed from.
if (findProgram('helm') !== undefined)
  test('chart: Helm renders the same', () => {
    const folder = mkdtempSync(join(tmpdir(), 'whence-chart-'));
    try {
      const file = join(folder, 'values.yaml');
      const settings = { WHENCE_LOG_LEVEL: 'warn' };
      writeFileSync(file, stringify({ settings }));
      const { stdout, stderr } = spawnSync('helm', ['template', 'whence', chart, '--values', file], {
        encoding: 'utf8',
      });
      assert.equal(stderr, '');
      assert.deepEqual(sorted(manifestsOf(stdout)), sorted(render({ settings })));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
