import assert from 'node:assert/strict';
import test from 'node:test';
import { ExportSample } from '../test/packages/export-sample.ts';

const sample = new ExportSample();
const block = (text: string) => text.slice(text.indexOf('geo $'));

test('nginx-geo: with a filter, the variable is 1 for matching networks and else 0', async () => {
  const { code, stdout } = await sample.export(
    '--format',
    'nginx-geo',
    '--country',
    'CH',
    '--name',
    'is_swiss',
  );
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^# wh dataset export --format nginx-geo --country CH --name is_swiss\n# Whence dataset /,
  );
  assert.equal(
    block(stdout),
    'geo $is_swiss {\n\tdefault 0;\n\t2.0.1.0/24 1;\n\t2.0.2.0/23 1;\n\t2.0.4.0/23 1;\n}\n',
  );
});

test('nginx-geo: with --value, it has the value of that field, quoted where needed, and is else empty', async () => {
  const { stdout } = await sample.export(
    '--format',
    'nginx-geo',
    '--value',
    'asn_name',
    '--asn',
    '64500',
  );
  assert.match(
    block(stdout),
    /^geo \$whence \{\n\tdefault "";\n\t1\.0\.0\.0\/22 "Exämple \\"Nord\\", GmbH";\n/,
  );
});

test('nginx-geo: no line is longer than the buffer of nginx', async () => {
  const { stdout } = await sample.export('--format', 'nginx-geo', '--flag', 'datacenter');
  for (const line of stdout.split('\n')) assert.ok(line.length < 200, line);
});
