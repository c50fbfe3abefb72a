/** Mistakes that a rules file can have although it is valid: rules that match everything, can never match, or need what the dataset does not know. */
import { parsePrefix } from '@whence/dataset/prefix';
import type { Mistake } from './parse-rules.ts';
import { type Condition, type Conditions, RECORD_CONDITIONS, type Rule, type RuleFile } from './rule-sets.ts';

export function reviewRules({ sets, lists }: RuleFile, unknownFlags: ReadonlySet<string>): Mistake[] {
  const warnings: Mistake[] = [];
  for (const { name: set, rules } of sets.values())
    rules.forEach((rule, i) => {
      const warn = (message: string) =>
        warnings.push({ ...rule.position, message: `rule ${rule.name} of set ${set} ${message}` });
      if (Object.keys(rule.conditions).length === 0 && i < rules.length - 1)
        warn('matches every request: the rules after it are never used');
      const shadow = rules.slice(0, i).find((earlier) => covers(earlier, rule));
      if (shadow !== undefined) warn(`never matches: rule ${shadow.name} before it matches all that it does`);
      const contradiction = contradictionOf(rule.conditions);
      if (contradiction !== undefined) warn(`never matches: ${contradiction}`);
      const unknown = unknownOf(rule.conditions, unknownFlags);
      if (unknown !== undefined) warn(unknown);
    });
  for (const { name, conditions, position } of lists.values()) {
    const unknown = contradictionOf(conditions) ?? unknownOf(conditions, unknownFlags);
    if (unknown !== undefined) warnings.push({ ...position, message: `list ${name}: ${unknown}` });
  }
  return warnings;
}

function unknownOf({ flags = [] }: Conditions, unknownFlags: ReadonlySet<string>): string | undefined {
  const unknown = flags.filter((flag) => unknownFlags.has(flag)).map((flag) => flag.slice('is_'.length));
  if (unknown.length === 0) return undefined;
  const effect = unknown.length === flags.length ? 'never matches' : 'matches only by its other flags';
  return `${effect}: no source of this dataset knows ${unknown.join(', ')}`;
}

function contradictionOf(conditions: Conditions): string | undefined {
  const needed = RECORD_CONDITIONS.find((name) => conditions[name] !== undefined);
  if (needed === undefined) return undefined;
  if (conditions.announced === false) return `an address that is not announced has no ${needed}`;
  return undefined;
}

/** Whether the first rule matches every request that the second one does. */
function covers({ conditions: wide }: Rule, { conditions: narrow }: Rule): boolean {
  // A rule that names neither private addresses nor prefixes is not used for private ones.
  const wideNamesPrivate = wide.private !== undefined || wide.prefixes !== undefined;
  const narrowNamesPrivate = narrow.private !== undefined || narrow.prefixes !== undefined;
  if (narrowNamesPrivate && narrow.private !== false && !wideNamesPrivate) return false;
  return (Object.keys(wide) as Condition[]).every((name) => {
    const [outer, inner] = [wide[name], narrow[name]];
    if (inner === undefined) return false;
    if (name === 'min_score') return (inner as number) >= (outer as number);
    if (!Array.isArray(outer)) return inner === outer;
    const isInside = INSIDE[name] ?? ((a, b) => a === b);
    return (inner as string[]).every((value) => (outer as string[]).some((whole) => isInside(value, whole)));
  });
}

/** Whether one value of a condition is contained in another, where that is more than equality. */
const INSIDE: { readonly [Name in Condition]?: (inner: string, outer: string) => boolean } = {
  paths: (inner, outer) => inner.startsWith(outer),
  hosts: (inner, outer) =>
    inner === outer || (outer.startsWith('*.') && inner.replace(/^\*/, '').endsWith(outer.slice(1))),
  prefixes: (inner, outer) => {
    const [a, b] = [parsePrefix(inner), parsePrefix(outer)];
    return a !== undefined && b !== undefined && a.version === b.version && a.start >= b.start && a.end <= b.end;
  },
};
