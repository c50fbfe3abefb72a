import assert from 'node:assert/strict';
import test from 'node:test';
import { ExportSample } from '../test/packages/export-sample.ts';

const sample = new ExportSample();

test('nftables: two sets, flushed and filled, with adjacent networks merged', async () => {
  const { code, stdout } = await sample.export('--format', 'nftables', '--country', 'CH,fr');
  assert.equal(code, 0);
  const [command, credits, ...lines] = stdout.split('\n');
  assert.equal(command, '# wh dataset export --format nftables --country CH,FR');
  assert.match(credits ?? '', /^# Whence dataset version 1\. Contains data of: /);
  assert.equal(
    lines.join('\n'),
    `table inet whence {
	set whence_ipv4 {
		type ipv4_addr
		flags interval
		auto-merge
	}
	set whence_ipv6 {
		type ipv6_addr
		flags interval
		auto-merge
	}
}
flush set inet whence whence_ipv4
flush set inet whence whence_ipv6
add element inet whence whence_ipv4 {
	2.0.1.0-2.0.5.255
}
add element inet whence whence_ipv6 {
	2a00::/32,
	2a00:ffff::/32
}
`,
  );
});

test('nftables: a family without networks has an empty set', async () => {
  const { stdout } = await sample.export('--format', 'nftables', '--flag', 'tor_exit');
  assert.match(stdout, /add element inet whence whence_ipv4 \{\n\t1\.0\.9\.9\/32\n\}\n$/);
});

test('nftables: sets and table have the names that were given', async () => {
  const names = ['--name', 'tor_exits', '--table', 'edge'];
  const { stdout } = await sample.export('--format', 'nftables', '--flag', 'tor_exit', ...names);
  assert.match(
    stdout,
    /^# wh dataset export --format nftables --flag tor_exit --name tor_exits --table edge\n/,
  );
  assert.match(stdout, /\ntable inet edge \{\n\tset tor_exits_ipv4 \{/);
  assert.match(
    stdout,
    /\nflush set inet edge tor_exits_ipv6\nadd element inet edge tor_exits_ipv4 \{/,
  );
  assert.doesNotMatch(stdout, /whence_ipv/);
});

for (const name of ['', '1st', 'with-dash', 'a b', 'x;flush', 'a_name_of_twenty_three_'])
  test(`nftables: ${JSON.stringify(name)} is not a name`, async () => {
    for (const option of ['--name', '--table']) {
      const { code, stderr } = await sample.export(
        '--format',
        'nftables',
        '--flag',
        'vpn',
        option,
        name,
      );
      assert.equal(code, 2);
      assert.match(
        stderr,
        /^error: --(name|table) is .*, but must be a letter followed by at most 21 letters/,
      );
    }
  });

for (const [behaviour, argv] of [
  ['without a filter', []],
  ['with a filter that excludes nothing', ['--min-score', '0']],
] as const)
  test(`nftables: rejected ${behaviour}`, async () => {
    const { code, stdout, stderr } = await sample.export('--format', 'nftables', ...argv);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(
      stderr,
      /^error: nftables needs a filter \(--flag, --country, .*--min-score\): without one/,
    );
  });
