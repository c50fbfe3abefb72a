/** Parts of charts and bars are distinguishable from what they are drawn on (WCAG 2.2, 1.4.11). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

const TOKENS = join(import.meta.dirname, '../../../src/theme/tokens.css');
const LEAST = 3;
const SURFACES = ['bg', 'bg-raised', 'bg-sunken', 'bg-hover'];

const [light = '', dark = ''] = readFileSync(TOKENS, 'utf8').split('@media screen');
for (const [theme, css] of [
  ['light', light],
  ['dark', dark],
] as const) {
  const colours = new Map(
    [...css.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name = '', hex = '']) => [name, hex]),
  );
  for (const [name, colour] of colours)
    if (/^series-|-fill$/.test(name))
      test(`contrast: ${name} in the ${theme} theme`, () => {
        for (const surface of SURFACES) {
          const ratio = contrast(colour, colours.get(surface) ?? '');
          assert.ok(ratio >= LEAST, `${ratio.toFixed(2)} on ${surface}`);
        }
      });
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
