/**
 * Mistakes that a rules file can have although it is valid: rules that match everything, can never
 * match, or need what the dataset does not know.
 */
import { METHODS } from 'node:http';
import type { Dataset } from '@whence/dataset/dataset';
import { parseCidr } from '@whence/dataset/prefix';
import { isCountry } from '@whence/dataset/record';
import { PrefixSet } from '../limits/prefix-set.ts';
import { unknownFlagsOf } from './decide.ts';
import type { Mistake } from './parse-rules.ts';
import {
  type Condition,
  type Conditions,
  namesPrivate,
  RECORD_CONDITIONS,
  type Rule,
  type RuleFile,
} from './rule-sets.ts';

type Names = Readonly<Record<'cloud_providers' | 'ai_companies', readonly string[]>>;
/** What a dataset knows; names in lower case. */
export type DatasetKnowledge = {
  readonly unknownFlags: ReadonlySet<string>;
  readonly names: () => Names;
};

export function knowledgeOf(dataset: Dataset): DatasetKnowledge {
  let names: Names | undefined;
  return {
    unknownFlags: unknownFlagsOf(dataset),
    names: () => {
      names ??= namesIn(dataset);
      return names;
    },
  };
}

function namesIn(dataset: Dataset): Names {
  const sets = Array.from(
    { length: dataset.meta.counts.attribute_sets },
    (_, set) => dataset.attributes(set).detection,
  );
  const distinct = (field: 'cloud_provider' | 'ai_company') => [
    ...new Set(sets.map((set) => set[field]?.toLowerCase() ?? '')),
  ];
  return { cloud_providers: distinct('cloud_provider'), ai_companies: distinct('ai_company') };
}

/** `knowledge` is undefined on a machine without a dataset. */
export function reviewRules(
  { sets, lists }: RuleFile,
  knowledge: DatasetKnowledge | undefined,
): Mistake[] {
  const warnings: Mistake[] = [];
  for (const { name: set, rules } of sets.values()) {
    const earlier: WideRule[] = [];
    let isRelayAllowed = false;
    rules.forEach((rule, i) => {
      const warn = (message: string) =>
        warnings.push({ ...rule.position, message: `rule ${rule.name} of set ${set} ${message}` });
      if (Object.keys(rule.conditions).length === 0) {
        if (i < rules.length - 1) warn('matches every request: the rules after it are never used');
        if (rule.action === 'deny')
          warn('has no conditions: it refuses every request that is not private');
      }
      const shadow = earlier.find((wide) => covers(wide, rule))?.rule;
      if (shadow !== undefined)
        warn(`never matches: rule ${shadow.name} before it matches all that it does`);
      earlier.push(prepare(rule));
      for (const problem of problemsOf(rule.conditions, knowledge)) warn(problem);
      isRelayAllowed ||= rule.action === 'allow' && namesRelays(rule.conditions);
      if (
        knowledge?.unknownFlags.has('relay') === true &&
        !isRelayAllowed &&
        refusesDatacenters(rule)
      )
        warn(
          'refuses people behind privacy relays, whose addresses are those of datacenters: no current list of this dataset knows relays; run wh dataset update, or allow their prefixes before it',
        );
    });
  }
  for (const { name, conditions, position } of lists.values()) {
    for (const problem of problemsOf(conditions, knowledge))
      warnings.push({ ...position, message: `list ${name} ${problem}` });
  }
  return warnings;
}

const refusesDatacenters = ({ action, conditions }: Rule): boolean =>
  action === 'deny' &&
  (conditions.flags?.includes('is_datacenter') === true ||
    conditions.connection_types?.includes('datacenter') === true);

/** Relays have no flag: a rule can only name their prefixes, networks or CDNs. */
const namesRelays = ({ prefixes, prefixes_file, asns, cloud_providers }: Conditions): boolean =>
  [prefixes, prefixes_file, asns, cloud_providers].some((names) => names !== undefined);

function* problemsOf(
  conditions: Conditions,
  knowledge: DatasetKnowledge | undefined,
): Generator<string> {
  const contradiction = contradictionOf(conditions);
  if (contradiction !== undefined) yield `never matches: ${contradiction}`;
  const isNotIn = (of: keyof Names) => (name: string) =>
    knowledge?.names()[of].includes(name) === false;
  const checks: [Condition, isUnknown: (value: string) => boolean, why: string][] = [
    ['countries', (code) => !isKnownCountry(code), 'no country has the code'],
    ['methods', (name) => !METHODS.includes(name), 'HTTP has no method'],
    ['paths', (path) => path.includes('*'), 'a path is a beginning, in which * is a character:'],
    ['cloud_providers', isNotIn('cloud_providers'), 'no address of this dataset belongs to'],
    ['ai_companies', isNotIn('ai_companies'), 'no address of this dataset belongs to'],
  ];
  for (const [name, isUnknown, why] of checks) {
    const all = (conditions[name] ?? []) as readonly string[];
    const unknown = all.filter(isUnknown).map((value) => value.replace(/^is_/, ''));
    const effect =
      unknown.length === all.length ? 'never matches' : `matches only by its other ${name}`;
    const more = unknown.length > MAX_SHOWN ? ` and ${unknown.length - MAX_SHOWN} more` : '';
    if (unknown.length > 0)
      yield `${effect}: ${why} ${unknown.slice(0, MAX_SHOWN).join(', ')}${more}`;
  }
  const uncertain = (conditions.flags ?? []).filter((flag) => knowledge?.unknownFlags.has(flag));
  if (uncertain.length > 0)
    yield `matches only lasting rows: no current list of this dataset knows ${uncertain.map((flag) => flag.replace(/^is_/, '')).join(', ')}`;
  const { prefixes, prefixes_file: files } = conditions;
  if (prefixes === undefined && files?.every(({ count }) => count === 0))
    yield `never matches: ${files.map(({ path }) => path).join(', ')} has no prefixes`;
}

const MAX_SHOWN = 10;

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** ICU knows codes of former countries and UK, and has another canonical form for them. */
function isKnownCountry(code: string): boolean {
  const [locale = ''] = Intl.getCanonicalLocales(`und-${code}`);
  return isCountry(code) && locale === `und-${code}` && COUNTRY_NAMES.of(code) !== undefined;
}

function contradictionOf(conditions: Conditions): string | undefined {
  const needed = RECORD_CONDITIONS.find((name) => conditions[name] !== undefined);
  if (needed === undefined) return undefined;
  if (conditions.announced === false) return `an address that is not announced has no ${needed}`;
  if (conditions.private === true)
    return `a private address has no ${needed}, except in your overrides`;
  return undefined;
}

type WideRule = {
  readonly rule: Rule;
  readonly coverage: ReadonlyMap<Condition, (value: string) => boolean>;
};

function prepare(rule: Rule): WideRule {
  const coverage = new Map<Condition, (value: string) => boolean>();
  for (const [name, values] of Object.entries(rule.conditions) as [Condition, unknown][]) {
    if (!Array.isArray(values)) continue;
    const listed = new Set<string>(values);
    coverage.set(name, COVERAGE[name]?.(values, listed) ?? ((value) => listed.has(value)));
  }
  return { rule, coverage };
}

/** Whether the first rule matches every request that the second one does. */
function covers(
  { rule: { conditions: wide }, coverage }: WideRule,
  { conditions: narrow }: Rule,
): boolean {
  // A rule that names neither private addresses nor prefixes is not used for private ones.
  if (namesPrivate(narrow) && narrow.private !== false && !namesPrivate(wide)) return false;
  // Prefixes and files of prefixes are one list.
  const [has, adds] = [wide.prefixes, wide.prefixes_file].map((list) => list !== undefined);
  if ((has && !adds && narrow.prefixes_file) || (adds && !has && narrow.prefixes)) return false;
  return (Object.keys(wide) as Condition[]).every((name) => {
    const outer = wide[name];
    const inner = narrow[name];
    if (inner === undefined) return false;
    if (name === 'min_score') return (inner as number) >= (outer as number);
    const isCovered = coverage.get(name);
    return isCovered === undefined ? inner === outer : (inner as string[]).every(isCovered);
  });
}

/**
 * Whether a value of a condition is contained in one of these, where that is more than equality. A
 * file may have 20,000.
 */
const COVERAGE: {
  readonly [Name in Condition]?: (
    values: readonly string[],
    listed: ReadonlySet<string>,
  ) => (inner: string) => boolean;
} = {
  paths: (values, listed) => {
    const lengths = [...new Set(values.map(({ length }) => length))];
    return (inner) => lengths.some((length) => listed.has(inner.slice(0, length)));
  },
  hosts: (_, listed) => (inner) => {
    if (listed.has(inner)) return true;
    for (let dot = inner.indexOf('.'); dot >= 0; dot = inner.indexOf('.', dot + 1))
      if (listed.has(`*${inner.slice(dot)}`)) return true;
    return false;
  },
  prefixes: (values, listed) => {
    const prefixes = new PrefixSet(values);
    return (inner) => {
      if (listed.has(inner)) return true;
      const cidr = parseCidr(inner);
      return cidr !== undefined && prefixes.lengthAt(cidr.address, cidr.length) !== undefined;
    };
  },
};
