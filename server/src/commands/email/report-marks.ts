/** How a report of a domain marks grades and errors. */
import { visible } from '@whence/email/internal/visible-text';
import { hanging, type Paint, type Style } from '../../terminal/style.ts';

export function gradePaint(style: Style, grade: string): Paint {
  if (grade === 'A' || grade === 'B') return style.green;
  return grade === 'C' || grade === '?' ? style.yellow : style.red;
}

/** Errors below the line they belong to. */
export function formatErrors(errors: readonly string[], indent: number, style: Style): string {
  const head = `${' '.repeat(indent)}${style.red('!')} `;
  return errors.map((error) => hanging(head, indent + 2, visible(error), style)).join('');
}
