/** docs/export.md: its commands are run, its rules checked, all against a small dataset. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { before } from 'node:test';
import { ExportSample } from './export-sample.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/export.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  );
const lookups = blocks('console needs=mmdblookup').flatMap((block) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((command) => {
      const [line = '', ...output] = command.split('\n');
      return { line, words: line.split(' '), output: output.join('\n') };
    }),
);

const sample = new ExportSample();
before(async () => {
  // The page names files without a folder. The test runner gives every file a process of its own.
  process.chdir(sample.folder);
  for (const line of blocks('sh').join('').trim().split('\n')) {
    const { code, stderr } = await sample.whence(...line.split(' ').slice(1));
    assert.equal(code, 0, `${line}\n${stderr}`);
  }
});

test('export page: its commands write what it says', () => {
  for (const name of [
    'whence.mmdb',
    'country.mmdb',
    'germany.ndjson',
    'whence.nft',
    'whence.ipset',
    'countries.map',
    'geo.conf',
  ])
    assert.ok(existsSync(name), name);
});

const hasMmdblookup = spawnSync('mmdblookup', ['--version']).error === undefined;
test('export page: mmdblookup answers as shown', {
  skip: hasMmdblookup ? false : 'mmdblookup is not here; apt-get install mmdb-bin',
}, () => {
  assert.equal(lookups.length, 2);
  for (const { line, words, output } of lookups)
    assert.equal(
      spawnSync('mmdblookup', words.slice(1), { encoding: 'utf8' }).stdout.trim(),
      output.trim(),
      line,
    );
});

// The package of Debian is for its own Python, which may not be the first one in PATH.
const PYTHON = '/usr/bin/python3';
test('export page: the GeoIP2 reader for Python answers as shown', {
  skip:
    spawnSync(PYTHON, ['-c', 'import geoip2']).status === 0
      ? false
      : 'geoip2 for Python is not here; apt-get install python3-geoip2',
}, () => {
  const { stdout, stderr } = spawnSync(PYTHON, ['-c', blocks('python').join('')], {
    encoding: 'utf8',
  });
  assert.notEqual(stdout, '', stderr);
  assert.ok(page.includes(`\n\`\`\`text\n${stdout}\`\`\`\n`), stdout);
});

const GEOIP2_MODULE = '/usr/lib/nginx/modules/ngx_http_geoip2_module.so';
test('export page: nginx takes the variables of its geoip2 module', {
  skip: existsSync(GEOIP2_MODULE)
    ? false
    : 'the module is not here; apt-get install libnginx-mod-http-geoip2',
}, () => {
  const shown = blocks('nginx geoip2').join('').replaceAll('/etc/nginx/', `${sample.folder}/`);
  writeFileSync(
    'geoip2.conf',
    `load_module ${GEOIP2_MODULE};\npid ${sample.path('geoip2.pid')};\nevents {}\nhttp {\n${shown}}\n`,
  );
  const argv = ['-t', '-e', 'stderr', '-c', sample.path('geoip2.conf')];
  const { status, stderr } = spawnSync('nginx', argv, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

const nft = spawnSync('nft', ['-c', '-f', '-'], { input: 'table inet whence_test {\n}\n' });
test('export page: nft takes its rules together with the sets', {
  skip: nft.error !== undefined && 'nft is not here; apt-get install nftables',
}, () => {
  // Some kernels and containers let no process look at a ruleset.
  if (nft.status !== 0) return;
  const input = readFileSync('whence.nft', 'utf8') + blocks('nft').join('');
  const { status, stderr } = spawnSync('nft', ['-c', '-f', '-'], { input, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});
