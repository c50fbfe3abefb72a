import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { parseVrps } from './parse-vrps.ts';
import { RpkiFile } from './rpki-file.ts';
import { formatVrp } from './vrps.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-rpki-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [behaviour, roa, want] of [
  [
    'rpki-client',
    { asn: 64500, prefix: '192.0.2.0/24', maxLength: 25, ta: 'arin', expires: 1 },
    [64500, '192.0.2.0/24', 25],
  ],
  ['Routinator', { asn: 'AS64500', prefix: '2001:db8::/32', maxLength: 48, ta: 'ripe' }, [64500, '2001:db8::/32', 48]],
  ['no maximum length', { asn: 0, prefix: '192.0.2.0/24' }, [0, '192.0.2.0/24', 24]],
] as const) {
  test(`rpki file: ${behaviour}`, () => {
    const [vrp] = parseVrps(JSON.stringify({ roas: [roa] }));
    assert.ok(vrp);
    const { asn, prefix, max_length } = formatVrp(vrp);
    assert.deepEqual([asn, prefix, max_length], want);
  });
}

for (const [behaviour, text, reason] of [
  ['no JSON', '<html>', /JSON/],
  ['null', 'null', /no list "roas"/],
  ['no ROAs', '{"roas":[]}', /there are no ROAs/],
  ['rows of another form', '{"roas":[{"asn":1,"prefix":"192.0.2.0/24"},{},7]}', /2 of 3 ROAs cannot be read/],
] as const) {
  test(`rpki file: refused: ${behaviour}`, () => assert.throws(() => parseVrps(text), reason));
}

test('rpki file: it is read again when it changes, and one that cannot be read changes nothing', async () => {
  const path = join(folder, 'vrps.json');
  const told: string[] = [];
  const file = new RpkiFile(path, {
    loaded: (count) => told.push(`loaded ${count}`),
    failed: (reason) => told.push(`failed: ${reason.slice(0, 25)}`),
  });
  const write = (text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  const counted = () => file.table?.count;
  await file.update();
  assert.equal(counted(), undefined);
  write('{"roas":[{"asn":64500,"prefix":"192.0.2.0/24","maxLength":24}]}');
  await file.update();
  await file.update();
  assert.equal(counted(), 1);
  write('{"roas":');
  await file.update();
  assert.equal(counted(), 1);
  write('{"roas":[{"asn":64500,"prefix":"192.0.2.0/24"},{"asn":64501,"prefix":"2001:db8::/32"}]}');
  await file.update();
  assert.equal(counted(), 2);
  assert.deepEqual(
    told.map((text) => text.replace(/^(failed).*/, '$1')),
    ['failed', 'loaded 1', 'failed', 'loaded 2'],
  );
  await file.stop();
});
