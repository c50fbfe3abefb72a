/**
 * `--compatible`: the official readers, nginx and libmaxminddb read the file as one of MaxMind's.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import test, { before } from 'node:test';
import { Reader as GeoIp2Reader } from '@maxmind/geoip2-node';
import { findProgram, freePort } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { Reader, type Response } from 'maxmind';
import { ExportSample } from '../../test/packages/export-sample.ts';

const TYPES = ['country', 'asn', 'anonymous-ip', 'connection-type', 'enterprise'] as const;
const sample = new ExportSample();
const pathOf = (type: string) => sample.path(`${type}.mmdb`);
before(async () => {
  for (const type of TYPES) {
    const { code, stderr } = await sample.export(
      '--format',
      'mmdb',
      '--compatible',
      type,
      '--output',
      pathOf(type),
    );
    assert.equal(code, 0, stderr);
  }
});

const open = (type: string) => new Reader<Response>(readFileSync(pathOf(type)));
const NAMES = { DE: 'Germany', US: 'United States', NL: 'Netherlands' };

test('compatible: without a type it is country', async () => {
  const path = sample.path('default.mmdb');
  assert.equal((await sample.export('--format', 'mmdb', '--output', path, '--compatible')).code, 0);
  assert.deepEqual(readFileSync(path), readFileSync(pathOf('country')));
});

test('compatible: a record has what is known, in the form of MaxMind', () => {
  const tor = open('country').get('1.0.9.9');
  const registered = sample.dataset.asn(64500)?.country;
  assert.deepEqual(tor, {
    continent: { code: 'EU', names: { en: 'Europe' } },
    country: { iso_code: 'DE', names: { en: NAMES.DE }, is_in_european_union: true },
    ...(registered === 'ZZ' ? {} : { registered_country: countryOf(registered ?? '') }),
    traits: {
      autonomous_system_number: 64500,
      autonomous_system_organization: 'Exämple "Nord", GmbH',
      is_anonymous: true,
      is_tor_exit_node: true,
      user_type: 'business',
    },
  });
  assert.deepEqual(open('asn').get('8.8.8.8'), {
    autonomous_system_number: 15169,
    autonomous_system_organization: 'Google LLC',
  });
  assert.deepEqual(open('anonymous-ip').get('5.0.0.1'), {
    is_anonymous: true,
    is_anonymous_vpn: true,
    is_hosting_provider: true,
  });
});

test('compatible: what is unknown is absent', () => {
  const unknown = open('country').get('6.0.0.1') as Record<string, unknown> | null;
  assert.equal(sample.dataset.asn(64507)?.country, 'ZZ');
  assert.deepEqual(Object.keys(unknown ?? {}), ['traits']);
  assert.equal(open('anonymous-ip').get('223.255.255.1'), null);
});

test('compatible: networks whose records are equal in this form are merged', () => {
  const [, length] = open('anonymous-ip').getWithPrefixLength('3.0.0.16');
  assert.equal(length, 8);
});

test('compatible: the methods of the official Node reader take the file of their type, and only that', () => {
  const readers = Object.fromEntries(
    TYPES.map((type) => [type, GeoIp2Reader.openBuffer(readFileSync(pathOf(type)))]),
  );
  const {
    country,
    asn,
    enterprise,
    'anonymous-ip': anonymous,
    'connection-type': connections,
  } = readers;
  assert.equal(country?.country('8.8.8.8').country?.names.en, NAMES.US);
  assert.equal(country?.country('8.8.8.8').continent?.code, 'NA');
  assert.equal(country?.country('1.0.9.9').traits.isTorExitNode, true);
  assert.equal(country?.country('::ffff:8.8.8.8').country?.isoCode, 'US');
  assert.equal(asn?.asn('8.8.8.8').autonomousSystemOrganization, 'Google LLC');
  assert.equal(enterprise?.enterprise('5.0.0.1').traits.isAnonymousVpn, true);
  assert.equal(anonymous?.anonymousIP('5.0.0.1').isAnonymousVpn, true);
  assert.equal(connections?.connectionType('8.8.8.8').connectionType, 'Corporate');
  assert.throws(
    () => country?.city('8.8.8.8'),
    /cannot be used with the GeoLite2-Country database/,
  );
  assert.throws(() => country?.country('192.0.2.1'), /is not in the database/);
});

// The packages of Debian are for its own Python, which may not be the first one in PATH.
const PYTHON = '/usr/bin/python3';
const hasPython = spawnSync(PYTHON, ['-c', 'import geoip2.database']).status === 0;
test('compatible: the methods of the official Python reader take the files', {
  skip: hasPython ? false : 'geoip2 for Python is not installed; apt-get install python3-geoip2',
}, () => {
  const script = `
import geoip2.database, json, sys
reader = lambda name: geoip2.database.Reader(sys.argv[1] + '/' + name + '.mmdb')
country = reader('country').country('1.0.9.9')
print(json.dumps([
  country.country.name, country.country.iso_code, country.continent.name, country.traits.is_tor_exit_node,
  reader('asn').asn('8.8.8.8').autonomous_system_number,
  reader('anonymous-ip').anonymous_ip('5.0.0.1').is_anonymous_vpn,
  reader('enterprise').enterprise('8.8.8.8').traits.autonomous_system_organization,
  reader('connection-type').connection_type('8.8.8.8').connection_type,
]))
try:
  reader('country').country('192.0.2.1')
except geoip2.errors.AddressNotFoundError as error:
  print(error)
`;
  const { stdout, stderr } = spawnSync(PYTHON, ['-c', script, sample.folder], { encoding: 'utf8' });
  const want = [NAMES.DE, 'DE', 'Europe', true, 15169, true, 'Google LLC', 'Corporate'];
  const [values = '', absent] = stdout.trim().split('\n');
  assert.deepEqual(JSON.parse(values || 'null'), want, stderr);
  assert.equal(absent, 'The address 192.0.2.1 is not in the database.');
});

const nginx = findProgram('nginx');
const MODULE = '/usr/lib/nginx/modules/ngx_http_geoip2_module.so';
test('compatible: nginx has the values in variables', {
  skip:
    nginx && existsSync(MODULE)
      ? false
      : 'nginx with geoip2 is not installed; apt-get install libnginx-mod-http-geoip2',
}, async (t) => {
  const port = await freePort();
  const config = sample.path('nginx.conf');
  writeFileSync(
    config,
    `load_module ${MODULE};
daemon off;
pid ${sample.path('nginx.pid')};
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${sample.path('body')};
  proxy_temp_path ${sample.path('proxy')};
  fastcgi_temp_path ${sample.path('fastcgi')};
  uwsgi_temp_path ${sample.path('uwsgi')};
  scgi_temp_path ${sample.path('scgi')};
  geoip2 ${pathOf('country')} {
    $country source=$http_x_address country iso_code;
    $country_name source=$http_x_address country names en;
    $as_number source=$http_x_address traits autonomous_system_number;
    $is_tor default=0 source=$http_x_address traits is_tor_exit_node;
  }
  server {
    listen 127.0.0.1:${port};
    location / { return 200 "$country|$country_name|$as_number|$is_tor"; }
  }
}
`,
  );
  const program = spawn(nginx ?? '', ['-c', config, '-e', 'stderr'], { stdio: 'ignore' });
  t.after(async () => {
    program.kill();
    if (program.exitCode === null) await once(program, 'exit');
  });
  const ask = async (address: string): Promise<string> => {
    const sending = request({ host: '127.0.0.1', port, headers: { 'X-Address': address } }).end();
    const [response] = await once(sending, 'response');
    let text = '';
    for await (const part of response) text += part;
    return text;
  };
  await until('nginx listens', () =>
    ask('8.8.8.8').then(
      () => true,
      () => false,
    ),
  );
  assert.equal(await ask('8.8.8.8'), 'US|United States|15169|0');
  assert.equal(await ask('1.0.9.9'), 'DE|Germany|64500|1');
  assert.equal(await ask('192.0.2.1'), '|||0');
});

const hasMmdblookup = spawnSync('mmdblookup', ['--version']).error === undefined;
test('compatible: mmdblookup finds the names', {
  skip: hasMmdblookup ? false : 'mmdblookup is not installed; apt-get install mmdb-bin',
}, () => {
  const argv = ['--file', pathOf('country'), '--ip', '5.0.0.1', 'country', 'names', 'en'];
  assert.equal(
    spawnSync('mmdblookup', argv, { encoding: 'utf8' }).stdout.trim(),
    `"${NAMES.NL}" <utf8_string>`,
  );
});

for (const [behaviour, argv, message] of [
  [
    'an unknown type is refused',
    ['--format', 'mmdb', '--compatible', 'weather'],
    /must be one of country, asn/,
  ],
  [
    'another format is refused',
    ['--format', 'csv', '--compatible'],
    /--compatible applies only to mmdb/,
  ],
] as const)
  test(`compatible: ${behaviour}`, async () => {
    const { code, stderr } = await sample.export(...argv, '--output', sample.path('refused'));
    assert.equal(code, 2);
    assert.match(stderr, message);
  });

function countryOf(code: string): object {
  return {
    iso_code: code,
    names: { en: new Intl.DisplayNames(['en'], { type: 'region' }).of(code) },
  };
}
