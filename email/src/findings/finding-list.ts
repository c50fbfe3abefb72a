// Findings that do not grow with a hostile zone: when full, the last entry says how many more there are.
import type { Finding } from './finding.ts';

export const MAX_FINDINGS = 20;

export class FindingList {
  readonly #maxFindings: number;
  readonly #kept: Finding[] = [];
  #left = 0;

  constructor(maxFindings: number = MAX_FINDINGS) {
    this.#maxFindings = maxFindings;
  }

  /** Those of another list, with the number it left out. */
  add(...findings: readonly Finding[]): void {
    for (const finding of findings) {
      if (finding.code === 'more_errors') this.#left += finding.detail.count;
      else if (this.#kept.length < this.#maxFindings) this.#kept.push(finding);
      else this.#left++;
    }
  }

  /** For findings that would be left out anyway, and need not be made. */
  get isFull(): boolean {
    return this.#kept.length === this.#maxFindings;
  }

  addLeftOut(count: number): void {
    this.#left += count;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  toArray(): Finding[] {
    if (this.#left === 0) return [...this.#kept];
    const shown = this.#kept.slice(0, this.#maxFindings - 1);
    const count = this.#left + this.#kept.length - shown.length;
    return [...shown, { code: 'more_errors', detail: { count } }];
  }
}

export function limitFindings(findings: readonly Finding[], maxFindings: number = MAX_FINDINGS): Finding[] {
  const list = new FindingList(maxFindings);
  list.add(...findings);
  return list.toArray();
}
