import assert from 'node:assert/strict';
import test from 'node:test';
import { ExportSample } from '../test/packages/export-sample.ts';

const sample = new ExportSample();
const networks = (text: string) =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('haproxy: with a filter, matching networks have the value 1', async () => {
  const { code, stdout } = await sample.export('--format', 'haproxy', '--country', 'CH,FR');
  assert.equal(code, 0);
  assert.match(stdout, /^# wh dataset export --format haproxy --country CH,FR\n# Whence dataset /);
  assert.deepEqual(networks(stdout), [
    '2.0.1.0/24 1',
    '2.0.2.0/23 1',
    '2.0.4.0/23 1',
    '2a00::/32 1',
    '2a00:ffff::/32 1',
  ]);
});

test('haproxy: with --value, networks have the value of that field, and adjacent equal ones are merged', async () => {
  const countries = networks(
    (await sample.export('--format', 'haproxy', '--value', 'country')).stdout,
  );
  assert.ok(countries.includes('6.0.0.0/24 ZZ'), countries.join('\n'));
  assert.ok(countries.includes('2a00::/32 FR'));
  const names = networks(
    (await sample.export('--format', 'haproxy', '--value', 'asn_name', '--asn', '64500')).stdout,
  );
  assert.ok(names.includes('1.0.0.0/22 Exämple "Nord", GmbH'), names.join('\n'));
});

test('haproxy: networks without the value are left out', async () => {
  assert.deepEqual(
    networks((await sample.export('--format', 'haproxy', '--value', 'ai_company')).stdout),
    ['3.0.0.16/28 OpenAI'],
  );
});

test('haproxy: rejected without filter and value', async () => {
  const { code, stderr } = await sample.export('--format', 'haproxy');
  assert.equal(code, 2);
  assert.match(
    stderr,
    /^error: haproxy needs a filter \(.*\) or --value: without one it would match every address/,
  );
});
