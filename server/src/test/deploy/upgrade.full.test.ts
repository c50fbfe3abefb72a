/** upgrade.sh of the Compose deployment, with a `docker` that records what it is asked for. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

const script = join(import.meta.dirname, '../../../../deploy/docker/upgrade.sh');
const SETTINGS = 'POSTGRES_PASSWORD=secret\nIMAGE_TAG=old\nWHENCE_DOMAIN=whence.example.com\n';

/** Runs the script; `docker` is a shell function body that can fail. */
function upgrade(args: readonly string[], docker = ':') {
  const folder = mkdtempSync(join(tmpdir(), 'whence-upgrade-'));
  try {
    mkdirSync(join(folder, 'bin'));
    copyFileSync(script, join(folder, 'upgrade.sh'));
    writeFileSync(join(folder, '.env'), SETTINGS, { mode: 0o600 });
    const calls = join(folder, 'calls');
    writeFileSync(calls, '');
    const fake = `#!/bin/sh\necho "$IMAGE_TAG: $*" >> ${calls}\n${docker}\n`;
    writeFileSync(join(folder, 'bin/docker'), fake, { mode: 0o755 });
    writeFileSync(join(folder, 'bin/sleep'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}/bin:${process.env['PATH']}` };
    const { status, stderr } = spawnSync('sh', [join(folder, 'upgrade.sh'), ...args], {
      env,
      encoding: 'utf8',
    });
    const settings = join(folder, '.env');
    return {
      status,
      stderr,
      calls: readFileSync(calls, 'utf8').trimEnd().split('\n'),
      settings: readFileSync(settings, 'utf8'),
      mode: statSync(settings).mode & 0o777,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const replace = (replica: string) => [
  `new: compose up -d --no-deps ${replica}`,
  `new: compose exec -T ${replica} node /opt/whence/healthy.mjs /readyz`,
];

test('upgrade.sh: the second replica is replaced once the first is ready, then the builder', () => {
  const { status, stderr, calls, settings, mode } = upgrade(['new']);
  assert.equal(status, 0, stderr);
  assert.deepEqual(calls, [
    'new: image inspect whence:new',
    ...replace('whence-1'),
    ...replace('whence-2'),
    'new: compose up -d --no-deps builder',
  ]);
  assert.equal(
    settings,
    'POSTGRES_PASSWORD=secret\nWHENCE_DOMAIN=whence.example.com\nIMAGE_TAG=new\n',
  );
  assert.equal(mode, 0o600, 'the file with the password stays private');
});

test('upgrade.sh: an image that does not exist is built, before a replica is stopped', () => {
  const { calls } = upgrade(['new'], '[ "$1" != image ]');
  assert.deepEqual(calls.slice(0, 3), [
    'new: image inspect whence:new',
    'new: compose build whence-1',
    'new: compose up -d --no-deps whence-1',
  ]);
});

for (const [what, docker, pattern] of [
  ['does not get ready', '[ "$2" != exec ]', /whence-1 is not ready/],
  ['cannot be started', '[ "$2" != up ]', /^$/],
  ['has no image that can be built', '[ "$1" != image ] && [ "$2" != build ]', /^$/],
] as const)
  test(`upgrade.sh: if the first replica ${what}, the second one is left as it is`, () => {
    const { status, stderr, calls, settings } = upgrade(['new'], docker);
    assert.equal(status, 1);
    assert.match(stderr, pattern);
    assert.ok(calls.every((call) => !call.includes('whence-2')));
    assert.equal(settings, SETTINGS);
  });

test('upgrade.sh: without a tag it says how it is called', () => {
  const { status, stderr } = upgrade([]);
  assert.equal(status, 2);
  assert.match(stderr, /usage: .*upgrade\.sh TAG/);
});
