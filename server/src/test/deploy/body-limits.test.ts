/** Sizes of bodies in shipped proxy files, pages and schemas are those of the server. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { emailReportsSchema } from '../../api/schemas/email-reports.ts';
import { emailTrialSchema } from '../../api/schemas/email-trial.ts';
import { batchSchema } from '../../api/schemas/ip.ts';
import { MAX_BODY_BYTES, MAX_HEADER_BYTES, MAX_REPORT_BYTES } from '../../http/limits.ts';

const root = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const filesBelow = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:md|ya?ml|conf|tpl)$|Caddyfile$/.test(name))
    .map((name) => join(folder, name));

const inMebibytes = (bytes: number) => `${bytes / 1024 / 1024}m`;
const inWords = (bytes: number) =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
const LARGEST = inMebibytes(Math.max(MAX_BODY_BYTES, MAX_REPORT_BYTES));

test('body limits: every proxy file and page passes the largest body', () => {
  const found = [...filesBelow('deploy'), ...filesBelow('docs')].flatMap((path) =>
    [...read(path).matchAll(/(?:client_max_body_size|proxy-body-size:|max_size) +"?(\w+)/g)].map(
      ([, size]) => [path, size],
    ),
  );
  assert.ok(found.some(([path]) => path === 'deploy/nginx.conf'));
  for (const [path, size] of found) assert.equal(size, LARGEST, path);
});

test('body limits: the pages have the limits of the server', () => {
  const [body, report, header] = [MAX_BODY_BYTES, MAX_REPORT_BYTES, MAX_HEADER_BYTES].map(inWords);
  assert.match(
    read('docs/self-hosting.md'),
    new RegExp(`header; body \\| 8 KiB each; ${header}; ${body}, of a report ${report} \\|`),
  );
  const api = read('docs/api.md');
  assert.match(api, new RegExp(`body over ${body} \\(of a report ${report}\\)`));
  assert.match(api, new RegExp(`headers over ${header}`));
});

test('body limits: the description of each route has its limit', () => {
  for (const [schema, limit] of [
    [batchSchema, MAX_BODY_BYTES],
    [emailTrialSchema, MAX_BODY_BYTES],
    [emailReportsSchema, MAX_REPORT_BYTES],
  ] as const)
    assert.ok(JSON.stringify(schema.response[413]).includes(`Body over ${inWords(limit)}.`));
});
