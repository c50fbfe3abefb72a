/** Mistakes that a rules file can have although it is valid: rules that match everything, can never match, or need what the dataset does not know. */
import { parseCidr } from '@whence/dataset/prefix';
import { PrefixSet } from '../limits/prefix-set.ts';
import type { Mistake } from './parse-rules.ts';
import { type Condition, type Conditions, RECORD_CONDITIONS, type Rule, type RuleFile } from './rule-sets.ts';

export function reviewRules({ sets, lists }: RuleFile, unknownFlags: ReadonlySet<string>): Mistake[] {
  const warnings: Mistake[] = [];
  for (const { name: set, rules } of sets.values()) {
    const earlier: WideRule[] = [];
    rules.forEach((rule, i) => {
      const warn = (message: string) =>
        warnings.push({ ...rule.position, message: `rule ${rule.name} of set ${set} ${message}` });
      if (Object.keys(rule.conditions).length === 0 && i < rules.length - 1)
        warn('matches every request: the rules after it are never used');
      const shadow = earlier.find((wide) => covers(wide, rule))?.rule;
      if (shadow !== undefined) warn(`never matches: rule ${shadow.name} before it matches all that it does`);
      earlier.push(prepare(rule));
      const contradiction = contradictionOf(rule.conditions);
      if (contradiction !== undefined) warn(`never matches: ${contradiction}`);
      const unknown = unknownOf(rule.conditions, unknownFlags);
      if (unknown !== undefined) warn(unknown);
    });
  }
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

/** A rule, prepared to be compared with all rules after it. */
type WideRule = { readonly rule: Rule; readonly coverage: ReadonlyMap<Condition, (value: string) => boolean> };

function prepare(rule: Rule): WideRule {
  const coverage = new Map<Condition, (value: string) => boolean>();
  for (const [name, values] of Object.entries(rule.conditions) as [Condition, unknown][]) {
    if (!Array.isArray(values)) continue;
    const known = new Set<string>(values);
    coverage.set(name, COVERAGE[name]?.(values, known) ?? ((value) => known.has(value)));
  }
  return { rule, coverage };
}

/** Whether the first rule matches every request that the second one does. */
function covers({ rule: { conditions: wide }, coverage }: WideRule, { conditions: narrow }: Rule): boolean {
  // A rule that names neither private addresses nor prefixes is not used for private ones.
  const wideNamesPrivate = wide.private !== undefined || wide.prefixes !== undefined;
  const narrowNamesPrivate = narrow.private !== undefined || narrow.prefixes !== undefined;
  if (narrowNamesPrivate && narrow.private !== false && !wideNamesPrivate) return false;
  return (Object.keys(wide) as Condition[]).every((name) => {
    const [outer, inner] = [wide[name], narrow[name]];
    if (inner === undefined) return false;
    if (name === 'min_score') return (inner as number) >= (outer as number);
    const isCovered = coverage.get(name);
    return isCovered === undefined ? inner === outer : (inner as string[]).every(isCovered);
  });
}

/** Whether a value of a condition is contained in one of these, where that is more than equality. A file may have 20,000. */
const COVERAGE: {
  readonly [Name in Condition]?: (values: readonly string[], known: ReadonlySet<string>) => (inner: string) => boolean;
} = {
  paths: (values, known) => {
    const lengths = [...new Set(values.map(({ length }) => length))];
    return (inner) => lengths.some((length) => known.has(inner.slice(0, length)));
  },
  hosts: (_, known) => (inner) => {
    if (known.has(inner)) return true;
    for (let dot = inner.indexOf('.'); dot >= 0; dot = inner.indexOf('.', dot + 1))
      if (known.has(`*${inner.slice(dot)}`)) return true;
    return false;
  },
  prefixes: (values, known) => {
    const prefixes = new PrefixSet(values);
    return (inner) => {
      if (known.has(inner)) return true;
      const cidr = parseCidr(inner);
      return cidr !== undefined && prefixes.lengthAt(cidr.address, cidr.length) !== undefined;
    };
  },
};
