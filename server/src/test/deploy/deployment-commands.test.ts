/**
 * Commands of container engines, Kubernetes, Helm and systemd in the documentation and in the
 * comments of deploy/: they are pasted one after another, so a container, volume, image, namespace,
 * Secret or release has one name in all of them, and what they name exists in the files.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { REPOSITORY } from '../packages/page-blocks.ts';

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');
const list = (folder: string) =>
  readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(folder, name),
  );

const pages = ['README.md', ...list('docs'), ...list('deploy')].filter(
  (path) =>
    /\.(md|yaml|sh|service|timer)$|Dockerfile$/.test(path) && !path.startsWith('docs/decisions/'),
);

type Command = { readonly page: string; readonly text: string; readonly words: readonly string[] };
const PROGRAMS =
  /(?:^|[\s;&(`])((?:docker|podman|kubectl|helm|systemctl|systemd-run|journalctl) (?=[a-z-])[^`\n]*)/g;

/**
 * Up to the end of the line or of the code, or another command; a line that ends with a backslash
 * goes on.
 */
const commands: readonly Command[] = pages.flatMap((page) =>
  read(page)
    .replaceAll(/\\\n#?\s*/g, ' ')
    .split('\n')
    .filter(
      (line) => page.endsWith('.md') || page.endsWith('.sh') || line.trimStart().startsWith('#'),
    )
    .flatMap((line) =>
      Array.from(
        line.matchAll(PROGRAMS),
        ([, text = '']) => text.split(/\s*(?:&&|\|\||[;|>])/)[0] ?? '',
      ),
    )
    .map((text) => ({
      page,
      text,
      words: text
        .trim()
        .replaceAll(/[.,:]$/g, '')
        .split(/\s+/),
    })),
);

/** The word after an option; of several, all. */
const after = ({ words }: Command, ...options: string[]) =>
  words.flatMap((word, i) => (options.includes(word) ? [words[i + 1] ?? ''] : []));

const isVariable = (name: string) => /[$"…]|^[A-Z_]+$/.test(name);
const isEngine = ({ words: [program] }: Command) => program === 'docker' || program === 'podman';

function containers(command: Command): string[] {
  if (!isEngine(command)) return [];
  const [, verb = ''] = command.words;
  if (verb === 'run') return after(command, '--name');
  return ['exec', 'stop', 'rm', 'logs', 'restart', 'start'].includes(verb)
    ? [command.words[2] ?? '']
    : [];
}

function images(command: Command): string[] {
  if (!isEngine(command)) return [];
  const [, verb] = command.words;
  if (verb === 'build') return after(command, '-t', '--tag');
  return verb === 'run' ? [command.words.at(-1) ?? ''] : [];
}

function secrets({ words }: Command): string[] {
  const i = words.indexOf('generic');
  return words[0] === 'kubectl' && i > 0 ? [words[i + 1] ?? ''] : [];
}

const namespaces = (command: Command) =>
  ['kubectl', 'helm'].includes(command.words[0] ?? '')
    ? [...after(command, '-n', '--namespace'), ...after(command, 'namespace')]
    : [];

for (const [what, namesOf, want] of [
  ['container', containers, 'whence'],
  [
    'volume',
    (command: Command) => after(command, '-v').map((volume) => volume.split(':')[0] ?? ''),
    'whence',
  ],
  ['image', images, 'whence'],
  ['namespace', namespaces, 'whence'],
  ['Secret with the database URL', secrets, 'whence'],
  ['release', (command: Command) => after(command, '--install'), 'whence'],
] as const)
  test(`deployment commands: one ${what} in all pages`, () => {
    const named = commands.flatMap((command) =>
      namesOf(command).map((name) => ({ name, ...command })),
    );
    assert.ok(named.length > 0, 'none is found');
    for (const { name, page, text } of named)
      if (!isVariable(name)) assert.equal(name, want, `${page}: ${text}`);
  });

test('deployment commands: the Secret is the one of the manifests and of the chart', () => {
  const { database } = parse(read('deploy/helm/whence/values.yaml')) as {
    database: { secretName: string; secretKey: string };
  };
  assert.match(
    read('deploy/kubernetes/whence.yaml'),
    /secretKeyRef: \{name: whence, key: database-url\}/,
  );
  assert.deepEqual([database.secretName, database.secretKey], ['whence', 'database-url']);
  const keys = commands.flatMap(({ text }) =>
    Array.from(text.matchAll(/--from-literal=([\w.-]+)=/g), ([, key]) => key),
  );
  assert.deepEqual(new Set(keys), new Set(['database-url']));
});

test('deployment commands: every resource, service, unit, file and value that they name exists', () => {
  const resources = new Set(
    ['whence.yaml', 'datasets.yaml', 'servicemonitor.yaml'].flatMap((file) =>
      parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document) => {
        const { kind, metadata } = document.toJS() as { kind: string; metadata: { name: string } };
        return `${kind.toLowerCase()}/${metadata.name}`;
      }),
    ),
  );
  const { services } = parse(read('deploy/docker/compose.replicas.yaml'), { merge: true }) as {
    services: object;
  };
  const values = parse(read('deploy/helm/whence/values.yaml')) as Record<
    string,
    Record<string, unknown>
  >;
  const units = new Set(readdirSync(join(REPOSITORY, 'deploy/systemd')));
  let checked = 0;
  const check = (isThere: boolean, { page, text }: Command, what: string) => {
    checked++;
    assert.ok(isThere, `${page}: ${text}: ${what} does not exist`);
  };
  for (const command of commands) {
    const { words, page } = command;
    for (const word of words) {
      const [, resource] = /((?:cronjob|deployment)\/[\w-]+)$/.exec(word) ?? [];
      if (words[0] === 'kubectl' && resource !== undefined)
        check(resources.has(resource), command, resource);
      if (/^whence[\w-]*\.(service|timer)$/.test(word)) check(units.has(word), command, word);
    }
    for (const file of after(command, '-f')) {
      const isThere = [dirname(page), '.', 'deploy/kubernetes'].some((folder) =>
        existsSync(join(REPOSITORY, folder, file)),
      );
      check(isThere, command, file);
    }
    if (words[1] === 'compose') {
      const given = words.slice(2).filter((word, i, all) => word !== '-f' && all[i - 1] !== '-f');
      const service = given.slice(1).find((word) => !word.startsWith('-'));
      if (service !== undefined && !isVariable(service))
        check(service in services, command, service);
    }
    for (const [, path = ''] of command.text.matchAll(/--set(?:-file)? ([\w.]+)=/g)) {
      const [group = '', name] = path.split('.');
      check(
        group in values && (name === undefined || name in (values[group] ?? {})),
        command,
        path,
      );
    }
  }
  assert.ok(checked > 8, String(checked));
});

test('deployment commands: those that docker exec runs are in the image, or commands of Whence', () => {
  const run = commands.filter((command) => isEngine(command) && command.words[1] === 'exec');
  assert.ok(run.length > 5);
  for (const { words, text } of run) assert.match(words[3] ?? '', /^(wh|cat|rm)$/, text);
});

/** The service whose user and files a command shares, as `whence.service` has them. */
test('deployment commands: whence-admin and the page run a command as whence.service does', () => {
  const unit = read('deploy/systemd/whence.service');
  const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
  const [, dataDir = ''] = /WHENCE_DATA_DIR=(\S+)/.exec(unit) ?? [];
  const runs = commands.filter(({ words }) => words[0] === 'systemd-run');
  assert.equal(runs.length, 1, 'on the page');
  const script = read('deploy/systemd/whence-admin').replaceAll(/\\\n\s*/g, '');
  const [, line = ''] = /^exec (systemd-run .*)$/m.exec(script) ?? [];
  for (const command of [...runs, { page: 'whence-admin', text: line, words: line.split(/\s+/) }]) {
    const properties = Object.fromEntries(
      after(command, '-p').map((property) => property.split(/=(.*)/s)),
    );
    assert.deepEqual(properties, {
      DynamicUser: settingOf('DynamicUser'),
      // A dynamic user that is not named has the name of its unit.
      User: 'whence',
      StateDirectory: settingOf('StateDirectory'),
      UMask: settingOf('UMask'),
      EnvironmentFile: settingOf('EnvironmentFile'),
    });
    assert.deepEqual(after(command, '-E'), [`WHENCE_DATA_DIR=${dataDir}`]);
    for (const option of ['--pipe', '--wait', '--collect'])
      assert.ok(command.words.includes(option), option);
  }
});
