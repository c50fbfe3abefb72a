/** The include tree of an SPF record, and what it costs a receiver. */
import { limitFindings } from '@whence/email/internal/findings/finding-list';
import { formatFinding } from '@whence/email/internal/findings/finding-text';
import type { SpfNode } from '@whence/email/internal/spf/lookups';
import { excerpt } from '@whence/email/internal/visible-text';
import { cutToWidth, hanging, type Style } from '../../terminal/style.ts';

/** A tree has up to a hundred nodes. */
const MAX_NODE_ERRORS = 3;
const MAX_TERM_CHARACTERS = 100;
/** RFC 7208 §4.6.4. */
const MAX_LOOKUPS = 10;

export function formatSpfTree(tree: SpfNode, lookups: number, style: Style): string {
  const count = `${lookups} of ${MAX_LOOKUPS}`;
  const title = `SPF lookups: ${lookups > MAX_LOOKUPS ? style.red(count) : count}`;
  return `${style.bold(title)}\n${treeLines(tree, '  ', style).join('')}`;
}

/** The number is that of the whole subtree. */
function treeLines(node: SpfNode, indent: string, style: Style): string[] {
  const name = excerpt(node.via === '' ? node.name : node.via, MAX_TERM_CHARACTERS);
  const lookups = node.via !== '' && node.lookups > 1 ? ` (${node.lookups})` : '';
  const head = `${indent}  ${style.red('!')} `;
  const errors = limitFindings(node.errors, MAX_NODE_ERRORS).map((finding) =>
    hanging(head, indent.length + 4, formatFinding(finding), style),
  );
  return [
    `${indent}${cutToWidth(name, style.width - indent.length - lookups.length)}${lookups}\n`,
    ...errors,
    ...node.children.flatMap((child) => treeLines(child, `${indent}  `, style)),
  ];
}
