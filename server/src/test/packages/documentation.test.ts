/** The OpenAPI document, held against the running server: what it says of answers is what comes. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { writeGeoipFiles } from '../../geoip-files/write-geoip-files.ts';
import { writeLists } from '../../geoip-files/write-lists.ts';
import { errors } from '../../http/errors.ts';
import { packageVersion } from '../../version.ts';
import { PERMISSIONS } from '../../vocabulary.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

type Schema = Record<string, unknown>;
type Operation = {
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    schema: Schema;
    example?: unknown;
  }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  operationId: string;
  responses: Record<
    string,
    { content?: Record<string, { schema: Schema; examples?: object }>; headers: object }
  >;
  security?: unknown[];
};
type OpenApi = {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let dns: ScriptedDnsServer;
let secret = '';
let document: OpenApi;
let tag: string;

before(async () => {
  // The examples compare version 1 with version 2.
  folder.publish({ ...SAMPLE, routes: SAMPLE.routes.slice(0, 4), tor: [] });
  folder.publish();
  const day = new Date().toISOString().slice(0, 10);
  await writeGeoipFiles(folder.dataDir, day);
  dns = await startScriptedDnsServer({ 'example.com': { TXT: ['v=spf1 -all'] } });
  const rules = join(folder.dataDir, 'rules.yaml');
  writeFileSync(rules, 'sets: {default: {default: allow}}\nlists: {tor: {flags: tor_exit}}');
  await writeLists(folder.dataDir, day, { rules, overrides: undefined });
  server = await startInProcess(folder, undefined, {
    WHENCE_DNS_SERVERS: dns.address,
    WHENCE_TRUST_PROXY: '127.0.0.1',
    WHENCE_RULES: rules,
  });
  ({ secret } = await folder.createKey({ permissions: PERMISSIONS }));
  const response = await fetch(`${server.url}/openapi.json`);
  tag = response.headers.get('etag') ?? '';
  document = (await response.json()) as OpenApi;
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
});

const ajv = new Ajv2020({
  strict: false,
  formats: { 'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/ },
});

async function hold(
  path: string,
  method: string,
  operation: Operation,
  response: Response,
): Promise<void> {
  const { content = {} } = operation.responses[String(response.status)] ?? {};
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/json')) {
    assert.ok(type in content, `${method} ${path} is not documented to answer with ${type}`);
    return;
  }
  const schema = content['application/json']?.schema;
  assert.ok(schema, `${method} ${path} is not documented to answer ${response.status}`);
  const validate = ajv.compile({ ...schema, components: document.components });
  const body = await response.json();
  assert.ok(
    validate(body),
    `${method} ${path} ${response.status}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
  );
}

/** The request that the examples of an operation make. */
const REPORT = `<feedback><report_metadata><org_name>x</org_name><report_id>1</report_id>
<date_range><begin>1790000000</begin><end>1790000001</end></date_range></report_metadata>
<policy_published><domain>example.com</domain><p>none</p></policy_published>
<record><row><source_ip>192.0.2.1</source_ip><count>1</count></row>
<identifiers><header_from>example.com</header_from></identifiers></record></feedback>`;

function exampleRequest(
  path: string,
  { parameters = [], requestBody }: Operation,
): [url: string, body?: string] {
  let url = path;
  const query = new URLSearchParams();
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue;
    // A list has its elements separated by commas: style form, not exploded.
    if (place === 'path') url = url.replace(`{${name}}`, String(example));
    else query.set(name, String(example));
  }
  const body = requestBody?.content['application/json']?.example;
  const search = query.size > 0 ? `?${query}` : '';
  if (requestBody?.content['application/octet-stream'] !== undefined) return [url + search, REPORT];
  return body === undefined ? [url + search] : [url + search, JSON.stringify(body)];
}

test('documentation: OpenAPI 3.1, and every endpoint of the specification is in it', () => {
  assert.equal(document.openapi, '3.1.0');
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  assert.deepEqual(operations.sort(), [
    'delete /v1/watched-domains',
    'get /healthz',
    'get /readyz',
    'get /v1/asn/search',
    'get /v1/asn/{asn}',
    'get /v1/databases',
    'get /v1/databases/{name}',
    'get /v1/dataset',
    'get /v1/decide',
    'get /v1/email/domain/{domain}/dns',
    'get /v1/email/domain/{domain}/senders',
    'get /v1/email/domain/{domain}/tls-reports',
    'get /v1/events',
    'get /v1/ip/me',
    'get /v1/ip/{ip}',
    'get /v1/ip/{ip}/history',
    'get /v1/lists/{list}',
    'get /v1/prefix/{cidr}',
    'get /v1/watched-domains',
    'patch /v1/watched-domains/{domain}',
    'post /v1/email/domain/{domain}/try',
    'post /v1/email/reports',
    'post /v1/events/{id}/accept',
    'post /v1/ip/batch',
    'post /v1/watched-domains',
    'post /v1/watched-domains/{domain}/check',
  ]);
});

test('documentation: every example is answered with 200, as described', async () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  // What the examples of others need is removed last.
  documented.sort((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
  for (const { path, method, operation } of documented) {
    const [url, body] = exampleRequest(path, operation);
    const response = await fetch(server.url + url, {
      method: method.toUpperCase(),
      headers: {
        'X-API-Key': secret,
        // The address of /v1/ip/me; that of the test has no record.
        'X-Forwarded-For': '8.8.8.8',
        ...(body === undefined
          ? {}
          : {
              'Content-Type': body === REPORT ? 'application/octet-stream' : 'application/json',
            }),
      },
      ...(body === undefined ? {} : { body }),
    });
    // The id of an event is not known before.
    const want = operation.operationId === 'acceptEvent' ? 404 : 200;
    assert.equal(response.status, want, `${method} ${url}`);
    await hold(path, method, operation, response);
  }
});

const SELECTORS = Array.from({ length: 51 }, (_, i) => `s${i}`).join();

for (const [path, method, url, want, options] of [
  ['/v1/ip/{ip}', 'get', '/v1/ip/nonsense', 400, {}],
  ['/v1/ip/{ip}', 'get', '/v1/ip/8.8.8.8?include=x', 400, {}],
  ['/v1/ip/{ip}', 'get', '/v1/ip/8.8.8.8?explain=maybe', 400, {}],
  ['/v1/ip/{ip}', 'get', '/v1/ip/8.8.8.8?include=routing,hostname,privacy', 200, {}],
  [
    '/v1/ip/batch',
    'post',
    '/v1/ip/batch',
    200,
    { body: '{"ips":["8.8.8.8","10.0.0.1","x"],"include":["routing"]}' },
  ],
  [
    '/v1/ip/batch',
    'post',
    '/v1/ip/batch',
    400,
    { body: JSON.stringify({ ips: Array(1001).fill('8.8.8.8') }) },
  ],
  ['/v1/ip/{ip}', 'get', '/v1/ip/1.0.9.9?include=privacy', 200, {}],
  ['/v1/ip/{ip}', 'get', '/v1/ip/8.8.8.8?version=x', 400, {}],
  ['/v1/ip/{ip}', 'get', '/v1/ip/8.8.8.8?version=99', 404, {}],
  ['/v1/ip/{ip}', 'get', '/v1/ip/8.8.8.8?version=1', 200, {}],
  ['/v1/ip/{ip}', 'get', '/v1/ip/10.0.0.1?version=1', 404, {}],
  ['/v1/ip/{ip}/history', 'get', '/v1/ip/8.8.8.8/history', 200, {}],
  ['/v1/ip/{ip}/history', 'get', '/v1/ip/10.0.0.1/history', 200, {}],
  ['/v1/ip/{ip}/history', 'get', '/v1/ip/x/history', 400, {}],
  ['/v1/ip/me', 'get', '/v1/ip/me?explain=true', 404, {}],
  ['/v1/ip/{ip}', 'get', '/v1/ip/10.0.0.1?explain=true', 404, {}],
  ['/v1/ip/{ip}', 'get', '/v1/ip/8.8.8.8', 401, { key: '' }],
  ['/v1/ip/{ip}', 'get', '/v1/ip/8.8.8.8', 403, { key: 'asn:read' }],
  ['/v1/ip/batch', 'post', '/v1/ip/batch', 400, { body: '{}' }],
  ['/v1/ip/batch', 'post', '/v1/ip/batch', 400, { body: '{"ips":["8.8.8.8"],"include":["x"]}' }],
  [
    '/v1/ip/batch',
    'post',
    '/v1/ip/batch',
    413,
    { body: JSON.stringify({ ips: ['x'.repeat(270_000)] }) },
  ],
  ['/v1/ip/batch', 'post', '/v1/ip/batch', 415, { body: 'x', type: 'text/plain' }],
  ['/v1/lists/{list}', 'get', '/v1/lists/other.txt', 404, {}],
  ['/v1/databases/{name}', 'get', '/v1/databases/other', 404, {}],
  ['/v1/databases/{name}', 'get', '/v1/databases/asn?version=9', 404, {}],
  ['/v1/databases/{name}', 'get', '/v1/databases/asn?version=x', 400, {}],
  ['/v1/prefix/{cidr}', 'get', '/v1/prefix/8.8.8.8', 400, {}],
  ['/v1/prefix/{cidr}', 'get', '/v1/prefix/::%2F0', 200, {}],
  ['/v1/asn/{asn}', 'get', '/v1/asn/x', 400, {}],
  ['/v1/asn/{asn}', 'get', '/v1/asn/15169?include=x', 400, {}],
  ['/v1/asn/{asn}', 'get', '/v1/asn/1', 404, {}],
  ['/v1/asn/{asn}', 'get', '/v1/asn/15169?include_prefixes=true', 200, {}],
  ['/v1/asn/{asn}', 'get', '/v1/asn/15169?include_prefixes=maybe', 400, {}],
  ['/v1/asn/search', 'get', '/v1/asn/search', 400, {}],
  ['/v1/email/domain/{domain}/dns', 'get', '/v1/email/domain/localhost/dns', 400, {}],
  ['/v1/email/domain/{domain}/dns', 'get', '/v1/email/domain/missing.example/dns', 200, {}],
  ['/v1/email/domain/{domain}/dns', 'get', '/v1/email/domain/example.com/dns?include=x', 400, {}],
  ['/v1/email/domain/{domain}/dns', 'get', '/v1/email/domain/example.com/dns?selectors=-', 400, {}],
  [
    '/v1/email/domain/{domain}/dns',
    'get',
    `/v1/email/domain/example.com/dns?selectors=${SELECTORS}`,
    400,
    {},
  ],
  ['/v1/dataset', 'get', '/v1/dataset', 403, { key: 'asn:read' }],
  ['/v1/asn/search', 'get', '/v1/asn/search?q=google&q=', 400, {}],
  ['/v1/asn/search', 'get', '/v1/asn/search?q=x&limit=0', 400, {}],
] as const satisfies readonly (readonly [
  string,
  string,
  string,
  number,
  { key?: string; body?: string; type?: string },
])[]) {
  test(`documentation: ${method} ${url.slice(0, 60)} is answered as described: ${want}`, async () => {
    const {
      key,
      body,
      type = 'application/json',
    } = options as { key?: string; body?: string; type?: string };
    const operation = document.paths[path]?.[method];
    assert.ok(operation);
    const restricted =
      key === 'asn:read' ? (await folder.createKey({ permissions: ['asn:read'] })).secret : key;
    const response = await fetch(server.url + url, {
      method,
      headers: {
        'X-API-Key': restricted ?? secret,
        ...(body === undefined ? {} : { 'Content-Type': type }),
      },
      ...(body === undefined ? {} : { body }),
    });
    assert.equal(response.status, want);
    await hold(path, method, operation, response);
  });
}

test('documentation: operations have names, answers have examples and headers, schemas have names', () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  for (const { operationId, security, responses } of operations) {
    assert.equal(
      security?.length === 0,
      ['getHealth', 'getReadiness'].includes(operationId),
      operationId,
    );
    for (const [status, { content, headers }] of Object.entries(responses)) {
      assert.equal('X-Request-ID' in headers, status !== '431', `${operationId} ${status}`);
      if (['204', '206', '304'].includes(status)) continue;
      if (operationId === 'getDatabase' && status.startsWith('2')) continue;
      const { examples = {} } = content?.['application/json'] ?? {};
      assert.ok(Object.keys(examples).length > 0, `${operationId} ${status} has an example`);
    }
  }
  assert.ok('IpRecord' in document.components.schemas);
  const size = JSON.stringify(document.paths).length / operations.length;
  assert.ok(size < 8_500, `${size} bytes an operation: schemas are not repeated`);
});

test('documentation: parameters have types, and say whether they are required', () => {
  const described = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, parameters = [] }) =>
      parameters.map(
        ({ name, required = false, schema: { type } }) =>
          `${operationId} ${name} ${type} ${required}`,
      ),
    );
  assert.deepEqual(described.sort(), [
    'acceptEvent id string true',
    'changeWatchedDomain domain string true',
    'checkEmailDomain domain string true',
    'checkEmailDomain include array false',
    'checkEmailDomain more_selectors array false',
    'checkEmailDomain selectors array false',
    'checkWatchedDomain domain string true',
    'decide explain boolean false',
    'decide host string false',
    'decide ip string false',
    'decide method string false',
    'decide path string false',
    'decide set string false',
    'findEmailSenders days integer false',
    'findEmailSenders domain string true',
    'findEmailSenders policy string false',
    'findEmailSenders service string false',
    'findTlsReports days integer false',
    'findTlsReports domain string true',
    'getAsn asn string true',
    'getAsn include array false',
    'getAsn include_prefixes boolean false',
    'getDatabase name string true',
    'getDatabase version integer false',
    'getIp at string false',
    'getIp explain boolean false',
    'getIp include array false',
    'getIp ip string true',
    'getIp version integer false',
    'getIpHistory ip string true',
    'getList list string true',
    'getOwnIp at string false',
    'getOwnIp explain boolean false',
    'getOwnIp include array false',
    'getOwnIp version integer false',
    'getPrefix cidr string true',
    'listEvents cursor string false',
    'listEvents domain string false',
    'listEvents limit integer false',
    'listEvents since string false',
    'listEvents state string false',
    'listWatchedDomains cursor string false',
    'listWatchedDomains grade string false',
    'listWatchedDomains limit integer false',
    'listWatchedDomains open boolean false',
    'listWatchedDomains q string false',
    'listWatchedDomains sort string false',
    'listWatchedDomains tag string false',
    'searchAsn cursor string false',
    'searchAsn limit integer false',
    'searchAsn q string true',
    'tryEmailDomain domain string true',
    'unwatchDomains domains array true',
  ]);
});

test('documentation: every object of an answer has a name, and so has every error', () => {
  const unnamed: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, properties } = value as Schema;
    // `details` belong to their error.
    if (type === 'object' && properties !== undefined && !path.endsWith('/details'))
      unnamed.push(path);
    for (const [key, part] of Object.entries(value)) visit(part, `${path}/${key}`);
  };
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { responses }] of Object.entries(methods))
      for (const [status, { content }] of Object.entries(responses)) {
        const { properties = {} } = content?.['application/json']?.schema ?? {};
        visit(Object.values(properties as Schema), `${method} ${path} ${status}`);
      }
  for (const [name, { properties, ...rest }] of Object.entries(document.components.schemas))
    visit({ ...rest, ...(properties as Schema) }, name);
  assert.deepEqual(unnamed, []);
  for (const [name, { properties }] of Object.entries(document.components.schemas)) {
    if (!name.endsWith('Error')) continue;
    const { error, code } = properties as { error: Schema; code: Schema };
    assert.ok(typeof error['const'] === 'string' && typeof code['const'] === 'string', name);
  }
});

test('documentation: the server URL is relative, or WHENCE_PUBLIC_URL; no Host makes another document', async () => {
  const { port } = new URL(server.url);
  const other = await fetch(`http://localhost:${port}/openapi.json`);
  assert.equal(other.headers.get('etag'), tag);
  assert.deepEqual(((await other.json()) as OpenApi).servers, [{ url: '/' }]);
  const publicUrl = 'https://whence.example.com';
  const behind = await startInProcess(folder, undefined, { WHENCE_PUBLIC_URL: publicUrl });
  const answer = (await (await fetch(`${behind.url}/openapi.json`)).json()) as OpenApi;
  await behind.close();
  assert.deepEqual(answer.servers, [{ url: publicUrl }]);
});

test('documentation: every code of a refusal stands in docs/api.md', () => {
  const path = join(import.meta.dirname, '../../../../docs/api.md');
  const page = readFileSync(path, 'utf8');
  const codes = Object.entries(errors).map(([name, row]) => ('code' in row ? row.code : name));
  assert.deepEqual(
    codes.filter((code) => !page.includes(`\`${code}\``)),
    [],
  );
});

test('openapi: it has the version of the program, and is not sent again to a client that has it', async () => {
  const { info } = document as unknown as { info: { version: string } };
  assert.equal(info.version, packageVersion());
  const again = await fetch(`${server.url}/openapi.json`, { headers: { 'If-None-Match': tag } });
  assert.deepEqual([again.status, again.headers.get('cache-control')], [304, 'no-cache']);
});
