import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { API_KEY, ok, refusal, serve } from './test/scripted-server.ts';

test('readme: the example prints the output shown below it', async (t) => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = '', output = ''] = /```ts\n(.*?)```\n\n```\n(.*?)```/s.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'whence-readme-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'example.mjs');
  writeFileSync(file, example.replace('@whence/client', new URL('../dist/client.js', import.meta.url).href));

  const record = { asn_name: 'Example Net', country: 'ZZ', prefix: '192.0.2.0/24', threat: { score: 0, level: 'low' } };
  const { url, requests } = await serve(t, [
    {
      headers: {
        'X-Request-ID': '5e0ad2b4-58f2-4ab1-9b3c-6c5e8e1f2a90',
        'X-RateLimit-Limit': '1000',
        'X-RateLimit-Remaining': '999',
        'X-RateLimit-Reset': '1800057600',
      },
      body: { data: record, meta: { processing_time_ms: 0, dataset_version: 42 } },
    },
    ok({
      '192.0.2.1': record,
      '2001:db8::1': { ...record, prefix: '2001:db8::/32' },
      localhost: { error: 'invalid IP address', code: 'INVALID_IP' },
    }),
    ok({ results: [{ asn: 64496 }] }),
    ok({ asn: 64496, prefixes: { ipv4: ['192.0.2.0/24'], ipv6: [] } }),
    ok({ grade: 'A', dmarc: { effective_policy: 'reject' } }),
    ok({ version: 42 }),
    ok({ from: { version: 41 }, prefixes: { gained: { ipv4: { count: 17 } } } }),
    refusal(404, 'NOT_FOUND', 'no data found for IP'),
  ]);
  const env = { ...process.env, WHENCE_URL: url, WHENCE_KEY: API_KEY };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  assert.equal(stdout, output);
  assert.deepEqual(
    requests.map((request) => request.url),
    [
      '/v1/ip/192.0.2.1',
      '/v1/ip/batch',
      '/v1/asn/search?q=example&limit=5',
      '/v1/asn/AS64496?include_prefixes=true',
      '/v1/email/domain/example.com/dns?selectors=s1%2Cs2',
      '/v1/dataset',
      '/v1/dataset/diff?from=41&to=42&limit=5',
      '/v1/ip/10.0.0.1?explain=true',
    ],
  );
});
