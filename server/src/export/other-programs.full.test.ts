/** The programs for which exports are made read them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { formatAddress } from '@whence/dataset/address';
import { fromBigInt } from '@whence/dataset/prefix';
import { findProgram } from '@whence/testing/programs';
import { ExportSample } from '../test/packages/export-sample.ts';

const sample = new ExportSample();

function needs(program: string, debianPackage = program): { skip: string | false } {
  return {
    skip:
      findProgram(program) === undefined &&
      `${program} is not installed; apt-get install ${debianPackage}`,
  };
}

test('haproxy: haproxy -c accepts the maps', needs('haproxy'), async () => {
  for (const [name, ...options] of [
    ['datacenters', '--flag', 'datacenter'],
    ['countries', '--value', 'country'],
    ['names', '--value', 'asn_name'],
  ] as const) {
    const output = sample.path(`${name}.map`);
    assert.equal(
      (await sample.export('--format', 'haproxy', ...options, '--output', output)).code,
      0,
    );
  }
  const config = sample.path('haproxy.cfg');
  writeFileSync(
    config,
    `defaults
    mode http
    timeout client 1s
    timeout server 1s
    timeout connect 1s
frontend edge
    bind 127.0.0.1:18081
    http-request set-header x-country %[src,map_ip(${sample.path('countries.map')},ZZ)]
    http-request set-header x-network %[src,map_ip(${sample.path('names.map')})]
    http-request deny if { src,map_ip(${sample.path('datacenters.map')},0) 1 }
`,
  );
  const { status, stdout, stderr } = spawnSync('haproxy', ['-c', '-f', config], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
});

test('ipset: ipset loads the file, and a newer one in its place', needs('ipset'), async () => {
  // A network namespace of its own: the sets are gone with the process.
  const inNamespace = (script: string) =>
    spawnSync('unshare', ['-rn', 'sh', '-c', script], { encoding: 'utf8' });
  // Some kernels have no sets, and some containers no namespaces.
  if (inNamespace('ipset create probe hash:net').status !== 0) return;
  const first = await sample.export('--format', 'ipset', '--flag', 'datacenter', '--name', 'edge');
  const second = await sample.export('--format', 'ipset', '--country', 'CH', '--name', 'edge');
  const load = (text: string) => `ipset restore -exist <<'END'\n${text}END\n`;
  const script = `set -e\n${load(first.stdout)}ipset list -n\nipset test edge_ipv4 3.1.2.3\n${load(second.stdout)}ipset save`;
  const { status, stdout, stderr } = inNamespace(script);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^edge_ipv4\nedge_ipv6\n/);
  assert.deepEqual(stdout.match(/^add .*$/gm)?.sort(), [
    'add edge_ipv4 2.0.1.0/24',
    'add edge_ipv4 2.0.2.0/23',
    'add edge_ipv4 2.0.4.0/23',
  ]);
});

test('nftables: nft accepts the file', needs('nft', 'nftables'), async () => {
  // Some kernels and containers do not permit access to rulesets.
  if (spawnSync('nft', ['-c', '-f', '-'], { input: 'table inet whence_test {\n}\n' }).status !== 0)
    return;
  const path = sample.path('whence.nft');
  assert.equal(
    (await sample.export('--format', 'nftables', '--flag', 'datacenter', '--output', path)).code,
    0,
  );
  assert.match(readFileSync(path, 'utf8'), /add element inet whence whence_ipv6/);
  const { status, stderr } = spawnSync('nft', ['-c', '-f', path], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

test('nginx-geo: nginx -t accepts the blocks', needs('nginx', 'nginx-light'), async () => {
  const geo = sample.path('geo.conf');
  for (const options of [
    ['--flag', 'datacenter'],
    ['--value', 'country'],
    ['--value', 'asn_name', '--name', 'network_name'],
  ]) {
    assert.equal(
      (await sample.export('--format', 'nginx-geo', ...options, '--output', geo)).code,
      0,
    );
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
    const { status, stderr } = spawnSync('nginx', ['-t', '-c', config, '-e', 'stderr'], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /\[warn\].*(duplicate|low address bits)/);
  }
});

test('mmdb: mmdblookup reads the same records', needs('mmdblookup', 'mmdb-bin'), async () => {
  const path = sample.path('whence.mmdb');
  assert.equal((await sample.export('--format', 'mmdb', '--output', path)).code, 0);
  const lookup = (ip: string, ...field: string[]) =>
    spawnSync('mmdblookup', ['--file', path, '--ip', ip, ...field], { encoding: 'utf8' });
  for (const version of [4, 6] as const)
    for (const { start, end } of sample.dataset.runs(version))
      for (const address of [start - 1n, start, end, end + 1n].map((at) =>
        fromBigInt(at, version),
      )) {
        const ip = formatAddress(address);
        const match = sample.dataset.find(address);
        const { stdout, stderr, status } = lookup(ip, 'autonomous_system_number');
        if (match === 0) {
          assert.equal(status, 6, `${ip}: ${stdout}${stderr}`);
          assert.match(stderr, /Could not find an entry for this IP address/);
        } else {
          const { asn } = sample.dataset.record(address, match);
          assert.equal(stdout.trim(), `${asn} <uint32>`, `${ip}: ${stderr}`);
        }
      }
  const { stdout } = lookup('1.0.9.9');
  assert.match(stdout, /"iso_code": \s*"DE" <utf8_string>/);
  assert.match(stdout, /"autonomous_system_organization": \s*"Exämple "Nord", GmbH" <utf8_string>/);
  assert.match(stdout, /"is_tor_exit": \s*true <boolean>/);
  assert.match(stdout, /"score": \s*\d+ <uint32>/);
});
