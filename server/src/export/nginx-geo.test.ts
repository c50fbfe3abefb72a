import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { ExportSample } from '../test/packages/export-sample.ts';

const sample = new ExportSample();
const block = (text: string) => text.slice(text.indexOf('geo $'));

test('nginx-geo: with a filter, the variable is 1 for matching networks and else 0', async () => {
  const { code, stdout } = await sample.export('--format', 'nginx-geo', '--country', 'CH', '--name', 'is_swiss');
  assert.equal(code, 0);
  assert.match(stdout, /^# wh dataset export --format nginx-geo --country CH --name is_swiss\n# Whence dataset /);
  assert.equal(block(stdout), 'geo $is_swiss {\n\tdefault 0;\n\t2.0.1.0/24 1;\n\t2.0.2.0/23 1;\n\t2.0.4.0/23 1;\n}\n');
});

test('nginx-geo: with --value, it has the value of that field, quoted where needed, and is else empty', async () => {
  const { stdout } = await sample.export('--format', 'nginx-geo', '--value', 'asn_name', '--asn', '64500');
  assert.match(block(stdout), /^geo \$whence \{\n\tdefault "";\n\t1\.0\.0\.0\/22 "Exämple \\"Nord\\", GmbH";\n/);
});

test('nginx-geo: no line is longer than the buffer of nginx', async () => {
  const { stdout } = await sample.export('--format', 'nginx-geo', '--flag', 'datacenter');
  for (const line of stdout.split('\n')) assert.ok(line.length < 200, line);
});

const isInstalled = spawnSync('nginx', ['-v']).error === undefined;
test('nginx-geo: nginx -t accepts the blocks', {
  skip: !isInstalled && 'nginx is not installed; apt-get install nginx-light',
}, async () => {
  const geo = sample.path('geo.conf');
  for (const options of [
    ['--flag', 'datacenter'],
    ['--value', 'country'],
    ['--value', 'asn_name', '--name', 'network_name'],
  ]) {
    assert.equal((await sample.export('--format', 'nginx-geo', ...options, '--output', geo)).code, 0);
    const variable = /^geo (\$\w+) /m.exec(readFileSync(geo, 'utf8'))?.[1];
    const config = sample.path('nginx.conf');
    writeFileSync(
      config,
      `pid ${sample.path('nginx.pid')};
error_log stderr;
events {}
http {
  access_log off;
  include ${geo};
  server { listen 127.0.0.1:18080; location / { return 200 ${variable}; } }
}
`,
    );
    const { status, stderr } = spawnSync('nginx', ['-t', '-c', config, '-e', 'stderr'], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /\[warn\].*(duplicate|low address bits)/);
  }
});
