/**
 * A person without a mouse: every step is a key, and what has the focus can be seen at every one.
 */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** More stops than any page has before what a test looks for. */
const MAX_STOPS = 80;

type Stop = { readonly name: string; readonly html: string; readonly isSeen: boolean };

export class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /** Tabs on until something of this name has the focus. */
  async tabTo(name: string | RegExp, key = 'Tab'): Promise<void> {
    const passed: string[] = [];
    for (let i = 0; i < MAX_STOPS; i++) {
      await this.press(key);
      const stop = await this.#stop();
      passed.push(stop.name);
      if (typeof name === 'string' ? stop.name === name : name.test(stop.name)) return;
    }
    assert.fail(`Tab does not lead to ${name}, but over ${passed.join(', ')}`);
  }

  /** Tabs to it and presses Enter. */
  async enter(name: string | RegExp): Promise<void> {
    await this.tabTo(name);
    await this.press('Enter');
  }

  async #stop(): Promise<Stop> {
    const stop = await this.page.evaluate(focused);
    assert.ok(stop.isSeen, `the focus cannot be seen on ${stop.html}`);
    return stop;
  }
}

/**
 * What has the focus: its name, and whether an outline shows it, on itself or on the field around
 * it.
 */
function focused(): Stop {
  const element = document.activeElement ?? document.body;
  const labels =
    element instanceof HTMLInputElement
      ? [...(element.labels ?? [])].map((label) => label.textContent)
      : [];
  const text = element === document.body ? '' : element.textContent;
  const name = element.getAttribute('aria-label') ?? (labels.join(' ') || text || '');
  const isOutlined = (one: Element | null) => {
    if (one === null) return false;
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(one);
    return (
      outlineStyle !== 'none' &&
      Number.parseFloat(outlineWidth) >= 1 &&
      !/, 0\)$/.test(outlineColor)
    );
  };
  const isOnScreen = (one: Element | null) => {
    const { width = 0, height = 0, bottom = 0, top = 0 } = one?.getBoundingClientRect() ?? {};
    return width > 0 && height > 0 && bottom > 0 && top < window.innerHeight;
  };
  return {
    name: name.trim().replace(/\s+/g, ' '),
    html: element.outerHTML.slice(0, 160),
    // Past the last element the browser itself has the focus. A hidden input is shown by the label
    // behind it.
    isSeen:
      element === document.body ||
      [element, element.parentElement, element.nextElementSibling].some(
        (one) => isOnScreen(one) && isOutlined(one),
      ),
  };
}
