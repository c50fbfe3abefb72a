/**
 * Databases of a server as other programs get and read them: geoipupdate 4 and 7, the readers for
 * Python and Node, and nginx; a thousand clients while versions change; and slow clients.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Reader as GeoIp2Reader } from '@maxmind/geoip2-node';
import { copyEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { UNPACKED_TOOLS } from '@whence/testing/installed-tools';
import { findProgram, freePort } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { indexPath, readIndex } from '../../geoip-files/file-index.ts';
import { writeGeoipFiles } from '../../geoip-files/write-geoip-files.ts';
import { SAMPLE, ServerProcess, startInProcess, TestFolder } from '../test-server.ts';

const GEOIPUPDATE = join(UNPACKED_TOOLS, 'geoipupdate');
const DAY = new Date().toISOString().slice(0, 10);
const scratch = mkdtempSync(join(tmpdir(), 'whence-databases-'));
const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let key = '';
/** For geoipupdate 4, which speaks TLS only. */
let tls: ReturnType<typeof createHttpsServer>;
let host = '';

before(async () => {
  folder.publish();
  await writeGeoipFiles(folder.dataDir, DAY);
  key = (await folder.createKey({ permissions: ['database:read'] })).secret;
  server = await startInProcess(folder);
  const keyFile = join(scratch, 'key.pem');
  const certificate = join(scratch, 'certificate.pem');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    keyFile,
    '-out',
    certificate,
    ...subject,
  ];
  execFileSync('openssl', made, { stdio: 'ignore' });
  tls = createHttpsServer(
    { key: readFileSync(keyFile), cert: readFileSync(certificate) },
    (asked, answer) => {
      const { url = '/', method, headers } = asked;
      httpRequest(server.url + url, { method, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      }).end();
    },
  );
  await once(tls.listen(0, '127.0.0.1'), 'listening');
  host = `localhost:${(tls.address() as AddressInfo).port}`;
});
after(async () => {
  tls.close();
  await server.close();
  folder.remove();
  rmSync(scratch, { recursive: true, force: true });
});

/** From version 7 on it takes a URL, and TLS is not required. */
const HOSTS: Readonly<Record<string, () => string>> = { 4: () => host, 7: () => server.url };

/** Runs geoipupdate with a configuration file of its own. */
async function geoipupdate(version: string, target: string, editions: string) {
  const config = join(scratch, `GeoIP-${version}.conf`);
  writeFileSync(
    config,
    `AccountID 1\nLicenseKey ${key}\nEditionIDs ${editions}\nHost ${HOSTS[version]?.()}\nRetryFor 1s\n`,
  );
  mkdirSync(target, { recursive: true });
  const argv = ['-v', '-f', config, '-d', target];
  const env = { ...process.env, SSL_CERT_FILE: join(scratch, 'certificate.pem') };
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile(
      join(GEOIPUPDATE, version, 'usr/bin/geoipupdate'),
      argv,
      { env, timeout: 180_000 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}
const missing = (version: string) =>
  !existsSync(join(GEOIPUPDATE, version, 'usr/bin/geoipupdate')) &&
  'geoipupdate is not installed (npm run test:tools)';
const EDITIONS = 'GeoLite2-Country GeoLite2-ASN GeoIP2-Anonymous-IP GeoIP2-Connection-Type';

for (const version of ['4', '7']) {
  const target = join(scratch, version);
  test(`databases: geoipupdate ${version} downloads all editions, which the readers read`, {
    skip: missing(version),
  }, async () => {
    const { code, output } = await geoipupdate(version, target, EDITIONS);
    assert.equal(code, 0, output);
    const open = (name: string) =>
      GeoIp2Reader.openBuffer(readFileSync(join(target, `${name}.mmdb`)));
    assert.equal(open('GeoLite2-Country').country('8.8.8.8').country?.isoCode, 'US');
    assert.equal(
      open('GeoLite2-ASN').asn('1.0.0.1').autonomousSystemOrganization,
      'Exämple "Nord" GmbH',
    );
    assert.equal(open('GeoIP2-Anonymous-IP').anonymousIP('1.0.9.9').isTorExitNode, true);
    assert.equal(
      open('GeoIP2-Connection-Type').connectionType('8.8.8.8').connectionType,
      'Corporate',
    );
    const script = `
import geoip2.database, sys
reader = lambda name: geoip2.database.Reader(sys.argv[1] + '/' + name + '.mmdb')
print(reader('GeoLite2-Country').country('8.8.8.8').country.iso_code, reader('GeoLite2-ASN').asn('8.8.8.8').autonomous_system_number)
`;
    const python = spawnSync('/usr/bin/python3', ['-c', script, target], { encoding: 'utf8' });
    if (!/No module named/.test(python.stderr))
      assert.equal(python.stdout, 'US 15169\n', python.stderr);
  });

  test(`databases: geoipupdate ${version} downloads a file only if it has changed`, {
    skip: missing(version),
  }, async () => {
    assert.deepEqual(await requestsOf(() => geoipupdate(version, target, EDITIONS)), {
      code: 0,
      files: 0,
    });
  });

  test(`databases: geoipupdate ${version} shows why an edition is refused`, {
    skip: missing(version),
  }, async () => {
    const { code, output } = await geoipupdate(version, target, 'GeoIP2-Domain');
    assert.notEqual(code, 0);
    assert.match(output, /404.*Database edition not found/s);
  });
}

/** Requests that were charged meanwhile: those that got a file. */
async function requestsOf(work: () => Promise<{ code: number }>) {
  const charged = async () => {
    const response = await fetch(`${server.url}/v1/databases`, {
      headers: { 'X-API-Key': counted.secret },
    });
    return Number(response.headers.get('x-ratelimit-remaining'));
  };
  const counted = await folder.createKey({ permissions: ['database:read'], tier: 'pro' });
  const own = key;
  key = counted.secret;
  try {
    const before = await charged();
    const { code } = await work();
    return { code, files: before - (await charged()) };
  } finally {
    key = own;
  }
}

test('databases: nginx uses a downloaded file without a restart', {
  skip:
    (missing('7') ||
      findProgram('nginx') === undefined ||
      !existsSync('/usr/lib/nginx/modules/ngx_http_geoip2_module.so')) &&
    'nginx with its geoip2 module, or geoipupdate, is not installed',
}, async () => {
  const target = join(scratch, 'nginx');
  assert.equal((await geoipupdate('7', target, 'GeoLite2-ASN')).code, 0);
  const port = await freePort();
  const config = `load_module /usr/lib/nginx/modules/ngx_http_geoip2_module.so;
user root; daemon off; pid ${scratch}/nginx.pid; error_log stderr; events {}
http {
  access_log off; client_body_temp_path ${scratch}; proxy_temp_path ${scratch}; fastcgi_temp_path ${scratch};
  uwsgi_temp_path ${scratch}; scgi_temp_path ${scratch};
  geoip2 ${target}/GeoLite2-ASN.mmdb { auto_reload 1s; $asn source=$http_x_address autonomous_system_number; }
  server { listen 127.0.0.1:${port}; location / { return 200 "$asn"; } }
}`;
  writeFileSync(join(scratch, 'nginx.conf'), config);
  const nginx = spawn(
    findProgram('nginx') ?? '',
    ['-p', scratch, '-c', join(scratch, 'nginx.conf')],
    {
      stdio: 'inherit',
    },
  );
  const exited = once(nginx, 'exit');
  const ask = async (address: string) =>
    (
      await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-Address': address } }).catch(
        () => undefined,
      )
    )?.text();
  const asn = async () => {
    // The module keeps what it found for the last address, also when it has reloaded the file.
    await ask('192.0.2.1');
    return ask('9.0.0.1');
  };
  try {
    await until('nginx answers', async () => (await asn()) === '22394');
    folder.publish({ ...SAMPLE, routes: [['9.0.0.0/16', 64_501, 'Another']] });
    await writeGeoipFiles(folder.dataDir, DAY);
    await until('the server has the files', async () => {
      const response = await fetch(`${server.url}/v1/databases/asn`, {
        headers: { 'X-API-Key': key },
        method: 'HEAD',
      });
      return (
        response.headers.get('etag') ===
        `"${readIndex(folder.dataDir).versions[0]?.files.find(({ name }) => name === 'asn')?.sha256}"`
      );
    });
    assert.equal((await geoipupdate('7', target, 'GeoLite2-ASN')).code, 0);
    // The module reads a file again whose time, in whole seconds, is later than that of its own
    // start.
    const file = join(target, 'GeoLite2-ASN.mmdb');
    const later = statSync(file).mtimeMs / 1000 + 2;
    utimesSync(file, later, later);
    await until('nginx has read the file', async () => (await asn()) === '64501');
  } finally {
    nginx.kill('SIGTERM');
    await exited;
  }
});

const digest = (algorithm: string, bytes: Buffer) =>
  createHash(algorithm).update(bytes).digest('hex');

/** The database in a tar file that has its credits before it. */
function untar(archive: Buffer): Buffer {
  let at = 0;
  for (;;) {
    const name = archive.toString('latin1', at, archive.indexOf(0, at));
    const bytes = Number.parseInt(archive.toString('latin1', at + 124, at + 135), 8);
    if (name.endsWith('.mmdb')) return archive.subarray(at + 512, at + 512 + bytes);
    at += 512 + Math.ceil(bytes / 512) * 512;
  }
}

test('databases: a thousand clients that poll while versions change get no torn file and no wrong digest', async () => {
  const send = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(server.url + path, { headers: { 'X-API-Key': key, ...headers } });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    let answer = await send(path, headers);
    // A busy machine refuses some requests, which clients send again.
    await until(`${path} is answered`, async () => {
      if (answer.response.status !== 503 || !answer.bytes.includes('OVERLOADED')) return true;
      answer = await send(path, headers);
      return false;
    });
    return answer;
  };
  const seen = { files: 0, unchanged: 0, gone: 0 };
  /** Each protocol as its client checks what it got. */
  const clients = [
    async () => {
      const { response, bytes } = await ask('/geoip/databases/GeoLite2-ASN/update?db_md5=0');
      assert.equal(digest('md5', gunzipSync(bytes)), response.headers.get('x-database-md5'));
      const again = await ask(
        `/geoip/databases/GeoLite2-ASN/update?db_md5=${response.headers.get('x-database-md5')}`,
      );
      if (again.response.status === 304) seen.unchanged++;
    },
    async () => {
      const { databases } = JSON.parse(
        (await ask('/geoip/updates/metadata?edition_id=GeoLite2-ASN')).bytes.toString(),
      );
      const [{ md5, date }] = databases;
      const path = `/geoip/databases/GeoLite2-ASN/download?date=${date.replaceAll('-', '')}&suffix=tar.gz`;
      const { response, bytes } = await ask(path);
      if (response.status === 404) seen.gone++;
      else assert.equal(digest('md5', untar(gunzipSync(bytes))), md5);
    },
    async () => {
      const { response, bytes } = await ask('/v1/databases/asn');
      assert.equal(response.status, 200, bytes.toString('latin1', 0, 200));
      const etag = response.headers.get('etag') ?? '';
      assert.equal(`"${digest('sha256', bytes)}"`, etag);
      const half = Math.floor(bytes.length / 2);
      const rest = await ask('/v1/databases/asn', { Range: `bytes=${half}-`, 'If-Range': etag });
      if (rest.response.status === 206)
        assert.equal(
          `"${digest('sha256', Buffer.concat([bytes.subarray(0, half), rest.bytes]))}"`,
          etag,
        );
      else assert.equal(`"${digest('sha256', rest.bytes)}"`, rest.response.headers.get('etag'));
    },
  ];
  let versions = 0;
  let next = 0;
  const publish = async () => {
    folder.publish({
      ...SAMPLE,
      routes: [...SAMPLE.routes, [`20.${++versions}.0.0/16`, 64_502, 'Changes']],
    });
    await writeGeoipFiles(folder.dataDir, DAY);
  };
  let publishing = Promise.resolve();
  const poll = async () => {
    for (let i = next++; i < 1_000; i = next++) {
      // Others poll meanwhile.
      if (i % 25 === 0) publishing = publishing.then(publish);
      await clients[i % clients.length]?.();
      seen.files++;
    }
  };
  await Promise.all(Array.from({ length: 20 }, poll));
  await publishing;
  assert.ok(versions === 40 && seen.unchanged > 0, JSON.stringify({ versions, ...seen }));
});

test('databases: slow downloads take no memory, and lookups are answered meanwhile', async () => {
  const other = new TestFolder();
  await copyEmbeddedDataset(other.dataDir);
  const { secret } = await other.createKey({ permissions: ['database:read', 'ip:read'] });
  // With the permission, the server writes the files by itself.
  const process_ = await ServerProcess.start(other);
  const sockets: Socket[] = [];
  try {
    await until('the files are written', () => existsSync(indexPath(other.dataDir)));
    const ask = (path: string) => fetch(process_.url + path, { headers: { 'X-API-Key': secret } });
    await until('the server uses them', async () =>
      (await (await ask('/v1/databases')).text()).includes('whence'),
    );
    for (let i = 0; i < 200; i++) await (await ask('/v1/ip/8.8.8.8?explain=true')).text();
    const residentKb = () =>
      Number(
        /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process_.child.pid}/status`, 'utf8'))?.[1] ?? 0,
      );
    const before = residentKb();
    const { port, hostname } = new URL(process_.url);
    for (let i = 0; i < 100; i++) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.write(`GET /v1/databases/whence HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n\r\n`);
      // Reads the head, and then nothing.
      await once(socket, 'readable');
    }
    for (let i = 0; i < 500; i++)
      assert.equal((await ask('/v1/ip/8.8.8.8?explain=true')).status, 200);
    const grownMb = (residentKb() - before) / 1024;
    // A hundred times 17 MB would be 1,700.
    assert.ok(grownMb < 100, `${grownMb} MB`);
  } finally {
    for (const socket of sockets) socket.destroy();
    await process_.stop();
    other.remove();
  }
});

test('lists: writing and sending them takes no more memory of the server than documented', async () => {
  const [, documentedMb] =
    /and (\d+) MB in the server/.exec(
      readFileSync(join(GEOIPUPDATE, '../../../../docs/databases.md'), 'utf8'),
    ) ?? [];
  const other = new TestFolder();
  await copyEmbeddedDataset(other.dataDir);
  const { secret } = await other.createKey({ permissions: ['database:read', 'ip:read'] });
  const rules = join(scratch, 'rules.yaml');
  writeFileSync(rules, 'lists: { none: { asns: 64511 } }');
  const process_ = await ServerProcess.start(other, { WHENCE_RULES: rules });
  const ask = (path: string) => fetch(process_.url + path, { headers: { 'X-API-Key': secret } });
  const residentKb = () =>
    Number(
      /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process_.child.pid}/status`, 'utf8'))?.[1] ?? 0,
    );
  try {
    await until(
      'the first list is written',
      async () => (await ask('/v1/lists/none.txt')).status === 200,
    );
    for (let i = 0; i < 500; i++) await (await ask('/v1/ip/8.8.8.8?explain=true')).text();
    const before = residentKb();
    const names = ['residential', 'datacenter', 'mobile', 'business'];
    writeFileSync(
      rules,
      JSON.stringify({
        lists: Object.fromEntries(names.map((type) => [type, { connection_types: type }])),
      }),
    );
    await until(
      'the lists are written',
      async () => (await ask('/v1/lists/business.json')).status === 200,
    );
    let bytes = 0;
    for (const name of names)
      for (const format of ['txt', 'nft', 'rsc', 'json'])
        bytes += (await (await ask(`/v1/lists/${name}.${format}`)).arrayBuffer()).byteLength;
    const grownMb = (residentKb() - before) / 1024;
    assert.ok(bytes > 20e6, `${bytes} bytes`);
    assert.ok(grownMb < Number(documentedMb), `${grownMb} of ${documentedMb} MB`);
  } finally {
    await process_.stop();
    other.remove();
  }
});

test('databases: a server writes no files until a key may download them', async () => {
  const other = new TestFolder();
  other.publish();
  await other.createKey();
  const process_ = await ServerProcess.start(other, { WHENCE_WORKERS: '2' });
  try {
    const ready = async () => (await fetch(`${process_.url}/readyz`)).status === 200;
    await until('it is ready', ready);
    assert.equal(existsSync(indexPath(other.dataDir)), false);
    await other.createKey({ permissions: ['database:read'] });
    await until('the files are written', () => readIndex(other.dataDir).versions.length === 1);
    other.publish({ ...SAMPLE, tor: [] });
    await until(
      'those of the next version',
      () => readIndex(other.dataDir).versions[0]?.version === 2,
    );
  } finally {
    await process_.stop();
    other.remove();
  }
});
