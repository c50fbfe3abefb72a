/**
 * The Helm chart, rendered by Go's template engine with Sprig: with its own values it is the
 * manifests in deploy/kubernetes, which have tests of their own; other values change what they
 * should and nothing else.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { findProgram } from '@whence/testing/programs';
import { parse, parseAllDocuments } from 'yaml';

const repository = join(import.meta.dirname, '../../../..');
const deploy = join(repository, 'deploy');
const chart = join(deploy, 'helm/whence');
const renderer = join(repository, 'server/src/test/deploy/render-chart.go');
const GOPATH = '/usr/share/gocode';
const canRender =
  findProgram('go') !== undefined && existsSync(`${GOPATH}/src/github.com/Masterminds/sprig`);
const skip = canRender
  ? false
  : 'golang-go or golang-github-masterminds-sprig-dev is not installed';

type Tree = Record<string, unknown>;
type Manifest = Tree & { kind: string; metadata: { name: string } };
type Case = {
  readonly behaviour: string;
  readonly release?: string;
  readonly values: Tree;
  /**
   * What differs from the plain manifests: `kind name path` and the value, undefined for what is
   * gone.
   */
  readonly changes: Readonly<Record<string, unknown>>;
};

const secretEnv = (name: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: 'oidc', key: 'secret' } },
});
const port = (number: number) => ({ ports: [{ protocol: 'TCP', port: number }] });
const MAIL = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'mail' } } };
const POD = 'Deployment whence spec.template.spec';
const CONTAINER = `${POD}.containers.0`;
const JOB = 'CronJob whence-builder spec.jobTemplate.spec.template.spec';
const FILE_SERVER = 'Deployment whence-datasets spec.template.spec';
const EGRESS = 'NetworkPolicy whence spec.egress';
const BUILDER_ONLY = [
  'PersistentVolumeClaim whence-builder',
  'PersistentVolumeClaim whence-datasets',
  'CronJob whence-builder',
  'Deployment whence-datasets',
  'Service whence-datasets',
  'NetworkPolicy whence-datasets',
  'NetworkPolicy whence-builder',
];
const none = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, undefined]));

const cases: readonly Case[] = [
  { behaviour: 'its own values', values: {}, changes: {} },
  {
    behaviour: 'settings, more workers, and a Secret for sign-in',
    values: {
      workers: 2,
      maxReplicas: 2,
      settings: { WHENCE_LOG_LEVEL: 'warn' },
      extraEnv: [secretEnv('WHENCE_OIDC_CLIENT_SECRET')],
      extraEnvFrom: [{ secretRef: { name: 'more' } }],
    },
    changes: {
      'ConfigMap whence data.WHENCE_WORKERS': '2',
      'ConfigMap whence data.WHENCE_LOG_LEVEL': 'warn',
      'HorizontalPodAutoscaler whence spec.maxReplicas': 2,
      [`${CONTAINER}.env.1`]: secretEnv('WHENCE_OIDC_CLIENT_SECRET'),
      [`${CONTAINER}.envFrom.1`]: { secretRef: { name: 'more' } },
      [`${CONTAINER}.resources`]: {
        requests: { cpu: '2', memory: '384Mi' },
        limits: { memory: '768Mi' },
      },
    },
  },
  {
    behaviour: 'PgBouncer with a private authority, a static host on another port, no monitoring',
    values: {
      database: { port: 6432, caSecretName: 'database-ca' },
      datasetUrl: 'http://data.internal:8081/whence',
      builder: { enabled: false },
      serviceMonitor: { enabled: false },
      networkPolicy: { extraEgress: [port(3128)], extraIngress: [port(8080)] },
    },
    changes: {
      ...none([...BUILDER_ONLY, 'ServiceMonitor whence']),
      'ConfigMap whence data.WHENCE_DATASET_URL': 'http://data.internal:8081/whence',
      [`${CONTAINER}.env.1`]: {
        name: 'NODE_EXTRA_CA_CERTS',
        value: '/etc/whence/database-ca/ca.crt',
      },
      [`${CONTAINER}.volumeMounts.2`]: {
        name: 'database-ca',
        mountPath: '/etc/whence/database-ca',
        readOnly: true,
      },
      [`${POD}.volumes.2`]: { name: 'database-ca', secret: { secretName: 'database-ca' } },
      [`${EGRESS}.1`]: port(8081),
      [`${EGRESS}.2`]: port(6432),
      [`${EGRESS}.4`]: port(3128),
      'NetworkPolicy whence spec.ingress.2': port(8080),
    },
  },
  {
    behaviour: 'a builder with its own feeds behind a proxy, a private registry, chosen nodes',
    values: {
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      overrides: '{"deny": []}',
      builder: {
        feeds: '{"disable": ["tor-exits"]}',
        proxy: 'http://proxy.internal:3128',
        noProxy: '.internal',
        extraEnv: [secretEnv('WHENCE_LOG_LEVEL')],
        extraEnvFrom: [{ secretRef: { name: 'feeds' } }],
        extraEgress: [port(8443)],
      },
    },
    changes: {
      ...Object.fromEntries(
        [POD, JOB, FILE_SERVER].flatMap((pod) => [
          [`${pod}.imagePullSecrets`, [{ name: 'registry' }]],
          [`${pod}.nodeSelector`, { disk: 'ssd' }],
          [`${pod}.tolerations`, [{ key: 'dedicated', operator: 'Exists' }]],
        ]),
      ),
      [`${JOB}.containers.0.env.1`]: { name: 'WHENCE_FEEDS', value: '/etc/whence/feeds.json' },
      [`${JOB}.containers.0.env.2`]: { name: 'HTTPS_PROXY', value: 'http://proxy.internal:3128' },
      [`${JOB}.containers.0.env.3`]: { name: 'HTTP_PROXY', value: 'http://proxy.internal:3128' },
      [`${JOB}.containers.0.env.4`]: { name: 'NO_PROXY', value: '.internal' },
      [`${JOB}.containers.0.env.5`]: secretEnv('WHENCE_LOG_LEVEL'),
      [`${JOB}.containers.0.envFrom`]: [{ secretRef: { name: 'feeds' } }],
      [`${JOB}.containers.0.volumeMounts.3`]: {
        name: 'files',
        mountPath: '/etc/whence',
        readOnly: true,
      },
      [`${JOB}.volumes.3`]: { name: 'files', configMap: { name: 'whence-builder' } },
      'NetworkPolicy whence-builder spec.egress.0.ports.3': { protocol: 'TCP', port: 3128 },
      'NetworkPolicy whence-builder spec.egress.1': port(8443),
      'ConfigMap whence-builder': {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'whence-builder' },
        data: { 'feeds.json': '{"disable": ["tor-exits"]}' },
      },
      [`${CONTAINER}.env.1`]: {
        name: 'WHENCE_OVERRIDES',
        value: '/etc/whence/overrides/overrides.json',
      },
      [`${CONTAINER}.volumeMounts.2`]: {
        name: 'overrides',
        mountPath: '/etc/whence/overrides',
        readOnly: true,
      },
      [`${POD}.volumes.2`]: { name: 'overrides', configMap: { name: 'whence-overrides' } },
      'ConfigMap whence-overrides': {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'whence-overrides' },
        data: { 'overrides.json': '{"deny": []}' },
      },
    },
  },
  {
    behaviour: 'answers over DNS, for the mail servers alone',
    values: {
      dns: { enabled: true, allow: '10.0.0.0/8,fd00::/8', zone: 'whence.internal', from: [MAIL] },
      networkPolicy: { extraIngress: [port(8080)] },
    },
    changes: {
      'ConfigMap whence data.WHENCE_DNS_LISTEN': '0.0.0.0:5353',
      'ConfigMap whence data.WHENCE_DNS_ZONE': 'whence.internal',
      'ConfigMap whence data.WHENCE_DNS_ALLOW': '10.0.0.0/8,fd00::/8',
      [`${CONTAINER}.ports.2`]: { name: 'dns', containerPort: 5353, protocol: 'UDP' },
      [`${CONTAINER}.ports.3`]: { name: 'dns-tcp', containerPort: 5353 },
      'Service whence spec.ports.2': { name: 'dns', port: 53, targetPort: 'dns', protocol: 'UDP' },
      'Service whence spec.ports.3': { name: 'dns-tcp', port: 53, targetPort: 'dns-tcp' },
      'NetworkPolicy whence spec.ingress.2': {
        from: [MAIL],
        ports: ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 5353 })),
      },
      'NetworkPolicy whence spec.ingress.3': port(8080),
    },
  },
  {
    behaviour: 'rules as text, overrides of a ConfigMap, more volumes and a longer delay',
    values: {
      rules: 'rules: []',
      overridesConfigMap: 'ours',
      extraVolumes: [{ name: 'hooks', configMap: { name: 'hooks' } }],
      extraVolumeMounts: [{ name: 'hooks', mountPath: '/etc/hooks' }],
      shutdownDelay: 30,
      maxReplicas: 2,
    },
    changes: {
      'ConfigMap whence data.WHENCE_SHUTDOWN_DELAY': '30',
      'HorizontalPodAutoscaler whence spec.maxReplicas': 2,
      [`${POD}.terminationGracePeriodSeconds`]: 62,
      [`${CONTAINER}.env.1`]: {
        name: 'WHENCE_OVERRIDES',
        value: '/etc/whence/overrides/overrides.json',
      },
      [`${CONTAINER}.env.2`]: { name: 'WHENCE_RULES', value: '/etc/whence/rules/rules.yaml' },
      [`${CONTAINER}.volumeMounts.2`]: {
        name: 'overrides',
        mountPath: '/etc/whence/overrides',
        readOnly: true,
      },
      [`${CONTAINER}.volumeMounts.3`]: {
        name: 'rules',
        mountPath: '/etc/whence/rules',
        readOnly: true,
      },
      [`${CONTAINER}.volumeMounts.4`]: { name: 'hooks', mountPath: '/etc/hooks' },
      [`${POD}.volumes.2`]: { name: 'overrides', configMap: { name: 'ours' } },
      [`${POD}.volumes.3`]: { name: 'rules', configMap: { name: 'whence-rules' } },
      [`${POD}.volumes.4`]: { name: 'hooks', configMap: { name: 'hooks' } },
      'ConfigMap whence-rules': {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'whence-rules' },
        data: { 'rules.yaml': 'rules: []' },
      },
    },
  },
  {
    behaviour: 'resources of its own, no network policies, labels for the Prometheus operator',
    values: {
      resources: { limits: { memory: '1Gi' } },
      networkPolicy: { enabled: false },
      serviceMonitor: { labels: { release: 'prometheus' }, interval: '30s' },
    },
    changes: {
      ...none(['', '-datasets', '-builder'].map((suffix) => `NetworkPolicy whence${suffix}`)),
      [`${CONTAINER}.resources`]: { limits: { memory: '1Gi' } },
      'ServiceMonitor whence metadata.labels.release': 'prometheus',
      'ServiceMonitor whence spec.endpoints.0.interval': '30s',
    },
  },
];

const refusals = [
  [
    'more connections than the database has',
    { maxReplicas: 7 },
    /= 88 connections, more than .* \(87\)/,
  ],
  ['as many with more workers', { maxReplicas: 3, workers: 2 }, /= 88 connections/],
  [
    'a number of workers that is not one',
    { workers: 'auto' },
    /workers must be a number, not auto/,
  ],
  ['no workers', { workers: 0 }, /workers must be at least 1/],
  ['a delay with a unit', { shutdownDelay: '8s' }, /shutdownDelay must be a number, not 8s/],
  [
    'more replicas at least than at most',
    { minReplicas: 7 },
    /minReplicas \(7\) must be from 1 to maxReplicas \(6\)/,
  ],
  [
    'a setting that has a value',
    { settings: { WHENCE_WORKERS: 2 } },
    /settings.WHENCE_WORKERS: set workers instead/,
  ],
  [
    'rules twice',
    { rules: 'rules: []', rulesConfigMap: 'ours' },
    /set rules or rulesConfigMap, not both/,
  ],
  [
    'neither a builder nor a static host',
    { builder: { enabled: false } },
    /set datasetUrl, or builder.enabled/,
  ],
] as const;

const RUNBOOK = 'https://wiki.example.com/alerts';
const monitoring = {
  prometheusRule: { enabled: true, runbookUrl: RUNBOOK },
  grafanaDashboard: { enabled: true },
};
const others = [
  { release: 'other', values: monitoring },
  { release: 'whence', values: { settings: { WHENCE_LOG_LEVEL: 'warn' } } },
];

/** All at once: Go compiles the renderer in each run. */
const answers = canRender
  ? render([...cases, ...refusals.map(([, values]) => ({ values })), ...others])
  : ([] as ReturnType<typeof render>);

function render(
  requests: readonly { release?: string; values: Tree }[],
): { output?: string; error?: string }[] {
  const { status, stdout, stderr } = spawnSync('go', ['run', renderer, chart], {
    encoding: 'utf8',
    input: JSON.stringify(requests.map(({ release = 'whence', values }) => ({ release, values }))),
    env: { ...process.env, GO111MODULE: 'off', GOPATH },
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as { output?: string; error?: string }[];
}

const manifestsOf = (yaml: string) =>
  parseAllDocuments(yaml)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);

const byName = (manifests: readonly Manifest[]) =>
  new Map(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest]));

function plainManifests(): Map<string, Manifest> {
  const files = readdirSync(join(deploy, 'kubernetes'));
  return byName(
    files.flatMap((file) => manifestsOf(readFileSync(join(deploy, 'kubernetes', file), 'utf8'))),
  );
}

/** Sets the value at `kind name a.b.0`; a whole manifest without a path. */
function change(manifests: Map<string, Manifest>, place: string, value: unknown): void {
  const [kind, name, path] = place.split(' ');
  const whole = `${kind} ${name}`;
  if (path === undefined) {
    if (value === undefined) assert.ok(manifests.delete(whole), place);
    else manifests.set(whole, value as Manifest);
    return;
  }
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<Tree | undefined>(
    (tree, key) => tree?.[key] as Tree | undefined,
    manifests.get(whole),
  );
  assert.ok(parent !== undefined, place);
  parent[last] = value;
}

/** The checksum of the settings, which the plain manifests cannot have. */
function takeChecksum(manifests: Map<string, Manifest>): string {
  const template = at(manifests.get('Deployment whence'), 'spec.template.metadata');
  const annotations = template['annotations'] as Tree;
  delete template['annotations'];
  assert.deepEqual(Object.keys(annotations), ['checksum/settings']);
  return String(annotations['checksum/settings']);
}

function at(manifest: Tree | undefined, path: string): Tree {
  return path.split('.').reduce((tree, key) => tree?.[key] as Tree, manifest ?? {});
}

for (const [i, { behaviour, changes }] of cases.entries())
  test(`chart: ${behaviour}`, { skip }, () => {
    const rendered = byName(manifestsOf(answers[i]?.output ?? assert.fail(answers[i]?.error)));
    takeChecksum(rendered);
    const expected = plainManifests();
    for (const [place, value] of Object.entries(changes)) change(expected, place, value);
    assert.deepEqual([...rendered.keys()].sort(), [...expected.keys()].sort());
    for (const [name, manifest] of expected) assert.deepEqual(rendered.get(name), manifest);
  });

for (const [i, [behaviour, , want]] of refusals.entries())
  test(`chart: refused: ${behaviour}`, { skip }, () => {
    assert.match(answers[cases.length + i]?.error ?? '', want);
  });

test('chart: another release name is in every name, label and alert, and the dashboard is the file', {
  skip,
}, () => {
  const manifests = byName(manifestsOf(answers.at(-2)?.output ?? ''));
  for (const { metadata } of manifests.values()) assert.match(metadata.name, /^other\b/);
  const labels =
    JSON.stringify([...manifests.values()]).match(/"app.kubernetes.io\/name":"[^"]*"/g) ?? [];
  assert.ok(labels.length > 10);
  for (const label of labels) assert.match(label, /:"other\b/);

  const rules = parse(readFileSync(join(deploy, 'prometheus/whence-rules.yaml'), 'utf8')) as Tree;
  const text = JSON.stringify(rules)
    .replaceAll('job=\\"whence\\"', 'job=\\"other\\"')
    .replaceAll(/"runbook_url":"[^#]*/g, `"runbook_url":"${RUNBOOK}`);
  assert.deepEqual(manifests.get('PrometheusRule other')?.['spec'], JSON.parse(text));
  assert.notDeepEqual(JSON.parse(text), rules);
  const dashboard = at(manifests.get('ConfigMap other-grafana'), 'data')['whence.json'];
  assert.deepEqual(
    JSON.parse(String(dashboard)),
    JSON.parse(readFileSync(join(deploy, 'grafana/whence.json'), 'utf8')),
  );
});

test('chart: a changed setting changes the pods, so that they are replaced', { skip }, () => {
  const [before, after] = [answers[0], answers.at(-1)].map((answer) =>
    takeChecksum(byName(manifestsOf(answer?.output ?? ''))),
  );
  assert.match(before ?? '', /^[0-9a-f]{64}$/);
  assert.notEqual(after, before);
});
