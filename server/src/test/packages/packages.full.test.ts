/**
 * The published packages, as a user gets them: what is in each tarball, and that the command and
 * the three libraries work when installed into an empty folder, from ES modules, CommonJS and
 * TypeScript.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { after } from 'node:test';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { publishTo } from '@whence/dataset/versions/publish-to';
import { FolderHost } from '@whence/testing/servers/folder-host';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import { run } from '../../main.ts';
import { PackedPackages, PUBLISHED, ROOT, runIn } from './packed.ts';
import { blocksOf } from './page-blocks.ts';

const MAX_INSTALLED_MEGABYTES = 110;
const isDataPackage = (name: string) => name.startsWith('@ip-location-db');

const LIBRARIES = [
  ['open', '@whence/dataset'],
  ['checkDomain', '@whence/email'],
  ['createDnsClient', '@whence/email/resolver'],
  ['createClient', '@whence/client'],
] as const;

const USE = `
const { asn } = open('./whence-data').lookup('8.8.8.8');
const packaged = open().lookup('8.8.8.8');

const dns = createDnsClient({ servers: [process.env.DNS_SERVER] });
const report = await checkDomain('example.com', { resolver: dns.forCheck('example.com') });
dns.close();

const client = createClient({ baseUrl: process.env.WHENCE_URL, apiKey: process.env.WHENCE_KEY });
const { data, meta } = await client.ip('8.8.8.8');

console.log(JSON.stringify([asn, packaged.asn, report.spf.all_qualifier, data.asn, meta.dataset_version]));
`;

const packed = await PackedPackages.open();
after(() => packed.remove());
const NO_REGISTRY = packed.isInstalled
  ? false
  : 'the npm registry cannot be reached, so nothing is installed';

for (const name of PUBLISHED) {
  const manifest = packed.manifest(name);
  const files = new Set(packed.files(name));
  const matching = (pattern: RegExp) => [...files].filter((path) => pattern.test(path));

  test(`packages: ${name} has the licence and the notice of the repository`, () => {
    for (const file of ['LICENSE', 'NOTICE'])
      assert.equal(packed.read(name, file), readFileSync(join(ROOT, file), 'utf8'), file);
  });

  test(`packages: ${name} has a readme whose links work outside of the repository`, () => {
    const readme = packed.read(name, 'README.md');
    assert.ok(readme.startsWith(`# ${manifest.name}\n`));
    const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    assert.deepEqual(
      links.filter((link) => !/^(https:|#)/.test(link)),
      [],
    );
    // The names wh and whence on npm belong to other projects, and ours are not in a registry yet.
    assert.doesNotMatch(readme, /npx (-y )?wh|npm (i|install|exec) (-g |--global )?@?wh/);
  });

  if (name === 'dataset' || name === 'email') {
    test(`packages: the readme of ${name} lists modules that can be imported`, () => {
      const rows = [...packed.read(name, 'README.md').matchAll(/^\| (`[^|]*`) +\|/gm)].map(
        ([, names = '']) => names,
      );
      const listed = rows
        .flatMap((names) => names.split(', '))
        .map((text) => `./${text.slice(1, -1)}`);
      assert.ok(listed.length > 3);
      for (const entry of listed) assert.ok(entry in manifest.exports, entry);
    });
  }

  test(`packages: ${name} exports files that are in it`, () => {
    const targets = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    for (const target of [...targets, ...Object.values(manifest.bin ?? {})])
      assert.ok(target.includes('*') || files.has(target.replace(/^\.\//, '')), target);
  });

  test(`packages: ${name} has no tests, and of every built file the source`, () => {
    assert.deepEqual(matching(/\.test\.|tsbuildinfo/), []);
    // A file that outlived its source in dist would be published without it.
    for (const path of matching(/^dist\/.*\.js$/))
      assert.ok(
        files.has(path.replace(/^dist\/(.*)\.js$/, 'src/$1.ts')),
        `${path} has no source; run: npm run clean`,
      );
  });

  test(`packages: ${name} has source maps that find their sources`, () => {
    for (const path of matching(/^dist\/.*\.(js|d\.ts)$/)) {
      const { sourceRoot = '', sources } = JSON.parse(packed.read(name, `${path}.map`));
      assert.ok(sources.length > 0);
      for (const source of sources)
        assert.ok(files.has(join(dirname(path), sourceRoot, source)), `${path}: ${source}`);
    }
  });

  test(`packages: ${name} imports its own files, its dependencies and Node, nothing else`, () => {
    for (const path of matching(/^(dist|bin)\/.*\.(js|d\.ts)$/)) {
      for (const specifier of importsOf(packed.read(name, path))) {
        if (specifier.startsWith('.')) {
          const target = join(dirname(path), specifier);
          // Declarations name the source, and TypeScript looks for the declaration beside it.
          assert.ok(
            files.has(path.endsWith('.d.ts') ? target.replace(/\.ts$/, '.d.ts') : target),
            `${path}: ${specifier}`,
          );
        } else {
          const [scope = '', rest = ''] = specifier.split('/');
          const dependency = scope.startsWith('@') ? `${scope}/${rest}` : scope;
          const isAllowed = specifier.startsWith('node:')
            ? name !== 'client' // Browsers have no such modules.
            : manifest.dependencies?.[dependency] !== undefined;
          assert.ok(isAllowed, `${path}: ${specifier}`);
        }
      }
    }
  });
}

test('packages: the server has one build, with the licences of what is in it, and depends on native code only', () => {
  const current = packed.read('server', 'build/current');
  const builds = packed
    .files('server')
    .flatMap((path) => /^build\/(.*)\//.exec(path)?.[1]?.split('/')[0] ?? []);
  assert.deepEqual([...new Set(builds)], [current]);
  for (const file of ['bin.js', 'LICENSES'])
    assert.ok(packed.files('server').includes(`build/${current}/${file}`), file);
  assert.deepEqual(Object.keys(packed.manifest('server').dependencies ?? {}), [
    '@node-rs/argon2',
    '@photostructure/sqlite',
  ]);
});

test('packages: all have the same version, and depend on that version of each other', () => {
  const { version } = packed.manifest('server');
  for (const name of PUBLISHED) {
    const { version: own, dependencies = {} } = packed.manifest(name);
    const siblings = Object.entries(dependencies).filter(([dependency]) =>
      dependency.startsWith('@whence/'),
    );
    assert.deepEqual(
      [own, ...siblings.map(([, range]) => range)],
      Array.from({ length: siblings.length + 1 }, () => version),
      name,
    );
  }
});

for (const [name, table] of [
  ['dataset', 'data/networks.csv'],
  ['email', 'data/providers.csv'],
] as const)
  test(`packages: ${name} has the tables that it reads`, () => {
    const files = packed.files(name).filter((path) => path.startsWith('data/'));
    // Labels measure the quality of answers; nothing that is shipped reads them.
    const tables = readdirSync(join(ROOT, name, 'data'))
      .filter((file) => !file.endsWith('-labels.csv'))
      .map((file) => `data/${file}`);
    assert.deepEqual(files.sort(), tables.sort());
    assert.ok(files.includes(table));
  });

test('packages: the server has the embedded dataset, with the licences and credits of its sources', () => {
  const files = packed.files('server').filter((path) => path.startsWith('embedded/'));
  const { devDependencies, dependencies = {} } = packed.manifest('server');
  const packages = Object.keys(devDependencies).filter(isDataPackage);
  assert.ok(packages.length >= 3);
  for (const name of packages) {
    const copied = files.filter((path) => path.startsWith(`embedded/${name}/`));
    assert.equal(copied.filter((path) => /-ipv[46]\.csv\.br$/.test(path)).length, 2, name);
    assert.ok(
      copied.some((path) => path.endsWith('LICENSE')),
      name,
    );
  }
  assert.ok(
    files.includes('embedded/datasets/manifest.json') &&
      files.includes('embedded/datasets/000001.whence'),
  );
  assert.match(
    packed.read('server', 'embedded/CREDITS'),
    /^npm-asn, \d{4}-\d\d-\d\d: RouteViews .*, NRO .*, IP Geolocation by DB-IP .*\. CC BY 4\.0\.$/m,
  );
  assert.deepEqual(Object.keys(dependencies).filter(isDataPackage), []);
});

test('packages: each says where its sources are and where to report a bug', () => {
  for (const name of PUBLISHED) {
    const { repository, bugs } = packed.manifest(name);
    assert.match(repository?.url ?? '', /^git\+https:\/\/.+\.git$/, name);
    assert.equal(repository?.directory, name);
    assert.match(bugs ?? '', /^https:/, name);
  }
});

test('packages: npm pack alone refuses the server, whose dataset would be missing', () => {
  const { status, stderr } = spawnSync(
    'npm',
    ['pack', '--dry-run', '--workspace', '@whence/server'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  assert.notEqual(status, 0);
  assert.match(stderr, /The package needs the build and the compiled dataset: npm run pack/);
});

test('packages: pages that mention npx wh say that it needs a clone', () => {
  // Outside of one, npx would fetch a package that belongs to another project.
  const pages = ['.', 'docs', 'docs/decisions', ...PUBLISHED, 'bench', 'testing'].flatMap(
    (folder) =>
      readdirSync(join(ROOT, folder))
        .filter((file) => file.endsWith('.md'))
        .map((file) => join(folder, file)),
  );
  for (const page of pages) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    if (/npx wh(ence)?\b/.test(text)) assert.match(text, /[Ii]n a clone/, page);
  }
});

test('packages: the readme of server lists commands that exist', async () => {
  const rows = [...packed.read('server', 'README.md').matchAll(/^\| (`wh [^|]*`) +\|/gm)].map(
    ([, row = '']) => row,
  );
  assert.ok(rows.length > 5);
  for (const row of rows) {
    const [first = [], ...others] = [...row.matchAll(/`([^`]*)`/g)].map(
      ([, text = '']) =>
        text
          .replace(/^wh /, '')
          .split(/ (?=[A-Z-])/)[0]
          ?.split(' ') ?? [],
    );
    // `list` after `key create` is short for `key list`, `asn search` after `asn` is a command of
    // its own.
    for (const words of [
      first,
      ...others.map((words) => (words.length > 1 ? words : [...first.slice(0, -1), ...words])),
    ]) {
      let output = '';
      const write = (text: string) => {
        output += text;
      };
      assert.equal(
        await run([...words, '--help'], {}, { write }, { write }),
        0,
        `${words.join(' ')}: ${output}`,
      );
      // Help names the command as it was called.
      assert.match(output, new RegExp(`^Usage: wh(ence)? ${words.join(' ')} `));
    }
  }
});

test('packages: installed into an empty folder', { skip: NO_REGISTRY }, async (t) => {
  const whence = join(packed.consumer, 'node_modules/.bin/whence');
  const dataDir = join(packed.consumer, 'whence-data');

  await t.test('every dependency is installed in a requested version', async () => {
    await packed.run('npm', ['ls', '--all']);
  });

  await t.test('whence --version prints the version of the package', async () => {
    assert.equal(await packed.run(whence, ['--version']), `${packed.manifest('server').version}\n`);
  });

  await t.test(
    `it has at most ${MAX_INSTALLED_MEGABYTES} MB, without the npm packages of the data`,
    (t) => {
      const megabytes = packed.installedMegabytes();
      t.diagnostic(`${megabytes.toFixed(0)} MB on disk`);
      assert.ok(megabytes <= MAX_INSTALLED_MEGABYTES, `${megabytes} MB`);
      assert.deepEqual(
        readdirSync(join(packed.consumer, 'node_modules')).filter(isDataPackage),
        [],
      );
    },
  );

  const folderOf = (name: string) => {
    mkdirSync(join(packed.folder, name), { recursive: true });
    return join(packed.folder, name);
  };
  /** A person who has just installed it: no settings, no data. */
  const newcomer = {
    PATH: `${join(packed.consumer, 'node_modules/.bin')}:${process.env['PATH']}`,
    HOME: folderOf('home'),
  };

  await t.test(
    'a newcomer gets answers in an empty folder, from the package, which is not written to',
    async () => {
      const empty = folderOf('empty');
      const embedded = join(packed.consumer, 'node_modules/@whence/server/embedded');
      const before = readdirSync(embedded, { recursive: true }).sort();
      const wh = (...args: string[]) => runIn(empty, 'wh', args, newcomer);
      assert.match(await wh('ip', '8.8.8.8'), /AS15169 Google LLC/);
      assert.match(await wh('asn', 'search', 'google'), /AS15169/);
      packed.write('../empty.log', '8.8.8.8 GET /\n');
      assert.match(await wh('summarize', '../empty.log'), /^1 line, 1 with an address\n/);
      const { data_dir, found } = JSON.parse(await wh('dataset', 'list', '--json'));
      assert.deepEqual([data_dir, found], [embedded, 'package']);
      assert.deepEqual([readdirSync(empty), readdirSync(newcomer.HOME)], [[], []]);
      assert.deepEqual(readdirSync(embedded, { recursive: true }).sort(), before);
    },
  );

  await t.test('a newcomer in a wrong folder is told so, and no database is made', async () => {
    const empty = folderOf('empty');
    for (const args of [
      ['key', 'create', '--name', 'shop'],
      ['user', 'setup-link'],
    ])
      await assert.rejects(
        runIn(empty, 'wh', args, newcomer),
        /there is no database in .*\/empty\/whence-data: give --data-dir .*; --new starts an empty one here/,
      );
    assert.deepEqual(readdirSync(empty), []);
  });

  await t.test(
    'the commands that docs/install.md runs in a container work by their names',
    async () => {
      const volume = folderOf('volume');
      const image = { ...newcomer, WHENCE_DATA_DIR: volume, WHENCE_FIRST_KEY: 'file' };
      const server = spawn('wh', ['serve'], {
        env: { ...image, WHENCE_PORT: '0', WHENCE_LOG_LEVEL: 'fatal' },
        cwd: volume,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        await until('the link to the dashboard is there', () =>
          existsSync(join(volume, 'setup-link')),
        );
        const page = blocksOf('docs/install.md', 'sh needs=docker').join('');
        const commands = [...page.matchAll(/^docker exec whence (.+)$/gm)].map(
          ([, command = '']) => command,
        );
        assert.ok(
          commands.includes('cat first-key') && commands.includes('wh ip 8.8.8.8'),
          commands.join('; '),
        );
        for (const command of commands) await runIn(volume, 'sh', ['-c', command], image);
        assert.match(await runIn(volume, 'wh', ['user', 'setup-link'], image), /^http:.*\/set-up#/);
      } finally {
        server.kill();
        await once(server, 'exit');
      }
    },
  );

  await t.test(
    'the first start compiles nothing, and answers from the embedded dataset',
    async () => {
      const first = await startServer(whence, join(packed.consumer, 'first-start'));
      try {
        await until('it is ready', async () => (await fetch(`${first.url}/readyz`)).status === 200);
        const answer = await fetch(`${first.url}/v1/ip/8.8.8.8`, {
          headers: { 'X-API-Key': first.key },
        });
        const { data } = (await answer.json()) as { data: { asn: number; country: string } };
        assert.deepEqual([data.asn, data.country], [15169, 'US']);
        assert.equal(
          (await fetch(`${first.url}/docs`, { headers: { Accept: 'text/html' } })).status,
          200,
        );
        assert.doesNotMatch(first.output(), /is being built/);
      } finally {
        await first.stop();
      }
    },
  );

  await t.test(
    'a replica whose host does not answer serves the embedded dataset, and pulls when it does',
    async () => {
      const host = await FolderHost.start(join(packed.consumer, 'www'));
      const replica = await startServer(whence, join(packed.consumer, 'replica'), {
        WHENCE_DATASET_URL: host.url,
      });
      const state = async () => {
        const { data } = (await (await fetch(`${replica.url}/readyz`)).json()) as {
          data: { checks: { dataset: string }; dataset_version?: number };
        };
        return `${data.checks.dataset} ${data.dataset_version}`;
      };
      try {
        await until('the embedded dataset is served', async () => (await state()) === 'fallback 1');
        const builder = join(packed.consumer, 'builder');
        for (const name of ['One', 'Two'])
          publish(builder, sampleContent({ routes: [['8.8.8.0/24', 15169, name]] }), new Date());
        publishTo(builder, host.folder, { keep: 1 });
        await until('the published dataset is served', async () => (await state()) === 'ok 2');
      } finally {
        await replica.stop();
        await host.close();
      }
    },
  );

  await t.test('the embedded sources can be compiled again, here with a correction', async () => {
    packed.write(
      'corrected/overrides.json',
      JSON.stringify({ relabel: [{ prefix: '34.64.0.0/24', country: 'CH' }] }),
    );
    const environment = { WHENCE_DATA_DIR: join(packed.consumer, 'corrected') };
    await packed.run(whence, ['dataset', 'build'], environment);
    const { asn, country, detection } = JSON.parse(
      await packed.run(whence, ['ip', '--json', '34.64.0.1'], environment),
    );
    // The provider is from a table of @whence/dataset.
    assert.deepEqual([asn, country, detection.cloud_provider], [396982, 'CH', 'Google Cloud']);
  });

  const server = await startServer(whence, dataDir);
  t.after(() => server.stop());
  const dns = await startScriptedDnsServer({
    'example.com': { TXT: ['v=spf1 -all'], MX: [[0, '.']] },
  });
  t.after(() => dns.close());
  const environment = {
    WHENCE_URL: server.url,
    WHENCE_KEY: server.key,
    DNS_SERVER: dns.address,
  };
  const found = '[15169,15169,"-",15169,1]\n';

  await t.test('the libraries work when they are imported', async () => {
    packed.write(
      'libraries.mjs',
      LIBRARIES.map(([names, from]) => `import { ${names} } from '${from}';\n`).join('') + USE,
    );
    assert.equal(await packed.run(process.execPath, ['libraries.mjs'], environment), found);
  });

  const NO_REQUIRE = process.features.require_module
    ? false
    : 'require() of ES modules needs Node 20.19 or 22.12';
  await t.test('the libraries work when they are required', { skip: NO_REQUIRE }, async () => {
    packed.write(
      'libraries.cjs',
      `${LIBRARIES.map(([names, from]) => `const { ${names} } = require('${from}');\n`).join('')}(async () => {${USE}})();\n`,
    );
    assert.equal(await packed.run(process.execPath, ['libraries.cjs'], environment), found);
  });

  await t.test('the examples of the readmes work', async () => {
    const ownServer = `createDnsClient({ servers: ['${dns.address}'] })`;
    const [lookup = ''] = examplesOf('dataset');
    const [check = ''] = examplesOf('email').map((code) =>
      code.replace('createDnsClient({})', ownServer),
    );
    for (const [code, output] of [
      [lookup, /^8\.8\.8\.0\/24 15169 .*^not an IP address: "8\.8\.8\.8\.8"\n$/ms],
      [check, /^[A-F] \d+ \[\n/],
    ] as const) {
      packed.write('readme.mjs', code);
      assert.match(await packed.run(process.execPath, ['readme.mjs']), output);
    }
  });

  await t.test(
    'TypeScript finds the types of every entry, strictly, and accepts the examples',
    async () => {
      const entries = PUBLISHED.flatMap((name) => {
        const { name: full, exports } = packed.manifest(name);
        return Object.entries(exports).flatMap(([entry, target]) =>
          typeof target === 'string' || entry.includes('*') ? [] : [full + entry.slice(1)],
        );
      });
      packed.write(
        'entries.ts',
        entries.map((entry, i) => `export * as entry${i} from '${entry}';\n`).join(''),
      );
      packed.write(
        'required.cts',
        LIBRARIES.map(([, from], i) => `export import entry${i} = require('${from}');\n`).join(''),
      );
      const examples = ['client', 'dataset', 'email'].flatMap(examplesOf);
      const readmes = examples.map((_, i) => `readme${i}.ts`);
      for (const [i, code] of examples.entries()) packed.write(`readme${i}.ts`, code);
      const node = { lib: ['es2023'], types: ['node'] };
      await typecheck({ ...node, module: 'nodenext' }, ['entries.ts', 'required.cts', ...readmes]);
      await typecheck({ ...node, module: 'esnext', moduleResolution: 'bundler' }, [
        'entries.ts',
        ...readmes,
      ]);
    },
  );

  await t.test(
    'TypeScript in a CommonJS project imports the libraries, and what it compiles runs',
    async () => {
      const [options = '{}'] = [
        ...packed.read('dataset', 'README.md').matchAll(/^```json\n(.*?)^```$/gms),
      ].map(([, text]) => text);
      const project = 'commonjs';
      packed.write(`${project}/package.json`, '{ "private": true }');
      packed.write(
        `${project}/index.ts`,
        `${LIBRARIES.map(([names, from]) => `import { ${names} } from '${from}';\n`).join('')}(async () => {${USE.replace(
          "'./whence-data'",
          "'../whence-data'",
        )
          .replace('const packaged = open()', "const packaged = open('../whence-data')")
          .replaceAll("lookup('8.8.8.8')", "lookup('8.8.8.8')!")
          .replaceAll(/process\.env\.(\w+)/g, "process.env.$1 ?? ''")}})();\n`,
      );
      packed.write(`${project}/tsconfig.json`, options);
      await packed.run(join(ROOT, 'node_modules/.bin/tsc'), [
        '--project',
        join(packed.consumer, project),
      ]);
      assert.match(
        readFileSync(join(packed.consumer, project, 'index.js'), 'utf8'),
        /require\("@whence\/dataset"\)/,
      );
      assert.equal(
        await runIn(join(packed.consumer, project), process.execPath, ['index.js'], environment),
        found,
      );
    },
  );

  await t.test('the client uses nothing that a browser does not have', async () => {
    const sources = packed.files('client').filter((path) => /^src\/.*\.ts$/.test(path));
    packed.write(
      'browser.ts',
      (examplesOf('client')[0] ?? '').replaceAll(/process\.env\.\w+ \?\? /g, ''),
    );
    await typecheck(
      {
        lib: ['es2023', 'dom', 'dom.iterable'],
        types: [],
        module: 'esnext',
        moduleResolution: 'bundler',
        allowImportingTsExtensions: true,
        erasableSyntaxOnly: true,
      },
      ['browser.ts', ...sources.map((path) => `node_modules/@whence/client/${path}`)],
    );
  });
});

function examplesOf(name: string): string[] {
  const examples = [...packed.read(name, 'README.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(
    ([, code = '']) => code,
  );
  assert.ok(examples.length > 0);
  return examples;
}

/** As tsc writes them: at the beginning of a line, in single quotes or double ones. */
function importsOf(code: string): string[] {
  const statement =
    /^(?:import|export)\b[^'"`;]*?from ['"]([^'"]+)['"]|^import ['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;
  return [...code.matchAll(statement)].map(
    ([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '',
  );
}

async function typecheck(options: object, files: readonly string[]): Promise<void> {
  const compilerOptions = {
    target: 'es2023',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    ...options,
  };
  const project = packed.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
  await packed.run(join(ROOT, 'node_modules/.bin/tsc'), ['--project', project]);
}

async function startServer(
  whence: string,
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<{ url: string; key: string; output(): string; stop(): Promise<void> }> {
  const child: ChildProcess = spawn(whence, ['serve'], {
    env: {
      ...process.env,
      WHENCE_DATA_DIR: dataDir,
      WHENCE_PORT: '0',
      WHENCE_LOG_LEVEL: 'fatal',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const piece of child.stdout ?? []) {
    output += piece;
    const [, key, url] = /X-API-Key: (\S+)' (http:\/\/[^/]+)\/v1/.exec(output) ?? [];
    if (key === undefined || url === undefined) continue;
    const stop = async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    };
    return { url, key, output: () => output, stop };
  }
  throw new Error(`wh serve ended: ${output}`);
}
