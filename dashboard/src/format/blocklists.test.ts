import assert from 'node:assert/strict';
import test from 'node:test';
import { blocklistCaveat } from './blocklists.ts';

const NOW = Date.parse('2026-11-16T05:00:00Z');

for (const [behaviour, unknown, as_of, want] of [
  ['without blocklists', ['blocklists'], undefined, /no blocklists/],
  [
    'without any list',
    ['blocklists', 'is_vpn'],
    undefined,
    /^Threat not known: no current attack lists\.$/,
  ],
  ['with old blocklists', [], '2026-06-17', /Blocklists as of 17 June|June 17/],
  ['with fresh blocklists', [], '2026-11-15', undefined],
  ['with blocklists of an unknown date', [], undefined, undefined],
] as const) {
  test(`blocklist caveat: ${behaviour}`, () => {
    const dated = as_of === undefined ? [] : [{ subject: 'blocklists', as_of } as const];
    const caveat = blocklistCaveat(
      {
        ...(unknown.length > 1 && { threat_gap: 'blocklists' }),
        unknown: [...unknown],
        dated,
      },
      NOW,
    );
    if (want === undefined) assert.equal(caveat, undefined);
    else assert.match(caveat ?? '', want);
  });
}
