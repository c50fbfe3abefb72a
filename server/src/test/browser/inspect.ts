/** axe-core over what a page shows, in both themes, and whether it scrolls sideways. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const WIDE = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** A large screen, and WIDE at a zoom of 200%, which halves what fits. */
const OTHER_SIZES = [
  { width: 1920, height: 1080 },
  { width: 640, height: 450 },
];

/** What differs between the themes. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
/**
 * Every rule of WCAG 2.0, 2.1 and 2.2 at the levels A and AA, also those that axe-core does not run
 * unqueried.
 */
const WCAG_TAGS = [
  'wcag2a',
  'wcag2aa',
  'wcag21a',
  'wcag21aa',
  'wcag22a',
  'wcag22aa',
  'best-practice',
];

async function violationsOf(shown: Page, rules?: readonly string[]): Promise<string[]> {
  if ((await shown.evaluate('typeof axe')) === 'undefined') await shown.evaluate(axe);
  const runOnly =
    rules === undefined ? { type: 'tag', values: WCAG_TAGS } : { type: 'rule', values: rules };
  const run = { resultTypes: ['violations'], runOnly };
  const { violations } = (await shown.evaluate(`axe.run(${JSON.stringify(run)})`)) as AxeResults;
  return (
    violations
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      )
      // Menus are at the end of the document, so that no row covers them.
      .filter((text) => !/^region: <[^>]*(Menu-item|_account_)/.test(text))
  );
}

const sidewaysBy = (shown: Page) =>
  shown.evaluate(() =>
    Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
  );

export async function inspectThemes(shown: Page, width: string): Promise<void> {
  await shown.emulateMedia({ colorScheme: 'light' });
  assert.deepEqual(await violationsOf(shown), [], `light, ${width}`);
  await shown.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await violationsOf(shown, COLOUR_RULES), [], `dark, ${width}`);
  assert.equal(await sidewaysBy(shown), 0, width);
}

/** The page fits at every other size too. Leaves it at the last one. */
export async function inspectSizes(shown: Page): Promise<void> {
  for (const size of OTHER_SIZES) {
    await shown.setViewportSize(size);
    assert.equal(await sidewaysBy(shown), 0, `${size.width} px`);
  }
}
