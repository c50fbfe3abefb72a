// The first matching rule decides, otherwise the default. Private and special-purpose addresses
// pass unless a rule names them, so that a default of `deny` does not lock out the operator's own
// network.
import type { Address } from '@whence/dataset/address';
import { flagKnowledge } from '@whence/dataset/data-age';
import type { Dataset } from '@whence/dataset/dataset';
import type { Match } from '@whence/dataset/match';
import { formatPrefix } from '@whence/dataset/prefix';
import type { Flag, IpRecord } from '@whence/dataset/record';
import { isPrivateAddress } from '@whence/dataset/special-purpose';
import { PrefixSet } from '../limits/prefix-set.ts';
import { containsAddress } from './prefix-file.ts';
import { bytesOf, fold, normalizeHost, type PathSpellings, spellingsOf } from './request-facts.ts';
import {
  type Action,
  type Condition,
  type Conditions,
  namesPrivate,
  type Rule,
  type RuleSet,
} from './rule-sets.ts';

export type RequestFields = {
  readonly address: Address;
  /** Host and path with one character per byte. */
  readonly host?: string | undefined;
  readonly path?: string | undefined;
  readonly method?: string | undefined;
};

export type RuleRecord = Pick<
  IpRecord,
  'asn' | 'country' | 'connection_type' | 'detection' | 'threat'
>;

export type Facts = {
  readonly address: Address;
  readonly isPrivate: boolean;
  /** Undefined for an address that no network announces. */
  readonly record: RuleRecord | undefined;
  /** Undefined if the question has none; empty if it is unusable. */
  readonly host: string | undefined;
  readonly path: PathSpellings | undefined;
  readonly method: string | undefined;
};

export const DECISIONS = ['allow', 'deny', 'observe'] as const;
export type Decision = {
  /** `observe`: it would be refused if the set were enforced. */
  readonly decision: (typeof DECISIONS)[number];
  /** Undefined where the default decided. */
  readonly rule: Rule | undefined;
};

/** The part of a condition that is met, as `explain` shows it. */
type Matched = { readonly [Name in Condition]?: unknown };

type Test = (facts: Facts) => unknown;
type CompiledRule = {
  readonly rule: Rule;
  readonly namesPrivate: boolean;
  readonly tests: readonly (readonly [Condition, Test])[];
};

export function factsOf(request: RequestFields, record: RuleRecord | undefined): Facts {
  const { address } = request;
  return withRequest({ address, record, isPrivate: isPrivateAddress(address) }, request);
}

type AddressFacts = Pick<Facts, 'address' | 'record' | 'isPrivate'>;

export function withRequest(
  { address, record, isPrivate }: AddressFacts,
  { host, path, method }: Omit<RequestFields, 'address'>,
): Facts {
  return {
    address,
    record,
    isPrivate,
    host: host === undefined ? undefined : (normalizeHost(host) ?? ''),
    path: path === undefined ? undefined : spellingsOf(path),
    method: method?.toUpperCase(),
  };
}

type Attributes = ReturnType<Dataset['attributes']>;

/** By set of attributes: many records share one, so each is parsed once. */
const attributesIn = new WeakMap<Dataset, Map<number, Attributes>>();

export function ruleRecord(dataset: Dataset, match: Match): RuleRecord {
  const attributesOfSets = attributesIn.get(dataset) ?? new Map<number, Attributes>();
  if (attributesOfSets.size === 0) attributesIn.set(dataset, attributesOfSets);
  const set = dataset.attributesOf(match);
  const attributes = attributesOfSets.get(set) ?? dataset.attributes(set);
  attributesOfSets.set(set, attributes);
  const { country, connection_type, detection, threat } = attributes;
  return { asn: dataset.asnNumber(match), country, connection_type, detection, threat };
}

export const unknownFlagsOf = ({ meta, day }: Dataset) =>
  new Set<string>(flagKnowledge(meta, day).unknown);

export class Decider {
  readonly set: RuleSet;
  readonly #rules: readonly CompiledRule[];

  constructor(set: RuleSet) {
    this.set = set;
    this.#rules = set.rules.map((rule) => {
      const { conditions, action } = rule;
      return {
        rule,
        namesPrivate: namesPrivate(conditions),
        tests: testsOf(conditions, action),
      };
    });
  }

  decide(facts: Facts): Decision {
    const rule = this.#rules.find(
      (candidate) => applies(candidate, facts) && meets(candidate, facts),
    )?.rule;
    const isDenied =
      rule === undefined ? this.set.default === 'deny' && !facts.isPrivate : rule.action === 'deny';
    const denied = this.set.mode === 'observe' ? 'observe' : 'deny';
    return { rule, decision: isDenied ? denied : 'allow' };
  }

  explain(rule: Rule, facts: Facts): Matched {
    const compiled = this.#rules.find((candidate) => candidate.rule === rule);
    return Object.fromEntries((compiled?.tests ?? []).map(([name, test]) => [name, test(facts)]));
  }
}

export function addressMatcher(conditions: Conditions): (facts: Facts) => boolean {
  const tests = testsOf(conditions, 'allow');
  const isPrivateNamed = namesPrivate(conditions);
  return (facts) =>
    (!facts.isPrivate || isPrivateNamed) && tests.every(([, test]) => test(facts) !== undefined);
}

function applies({ namesPrivate }: CompiledRule, { isPrivate }: Facts): boolean {
  return !isPrivate || namesPrivate;
}

function meets({ tests }: CompiledRule, facts: Facts): boolean {
  for (const [, test] of tests) if (test(facts) === undefined) return false;
  return true;
}

/** The cheapest first. A test returns what met the condition, or undefined. */
function testsOf(conditions: Conditions, action: Action): (readonly [Condition, Test])[] {
  // Where the request is written so that it could mean anything, a rule that denies matches and no
  // other does.
  const unusable = action === 'deny' ? 'unusable' : undefined;
  const makers: { [Name in Condition]: (wanted: NonNullable<Conditions[Name]>) => Test } = {
    methods:
      (wanted) =>
      ({ method }) =>
        wanted.find((name) => name === method),
    hosts:
      (wanted) =>
      ({ host }) => {
        if (host === '') return unusable;
        return host === undefined ? undefined : wanted.find((name) => isHost(name, host));
      },
    paths: (wanted) => (action === 'deny' ? anySpelling(wanted) : everySpelling(wanted)),
    private:
      (wanted) =>
      ({ isPrivate }) =>
        isPrivate === wanted ? wanted : undefined,
    announced:
      (wanted) =>
      ({ record }) =>
        (record !== undefined) === wanted ? wanted : undefined,
    prefixes: (wanted) => inPrefixes(wanted, conditions.prefixes_file),
    prefixes_file: (wanted) => inPrefixes(conditions.prefixes, wanted),
    min_score: (wanted) =>
      ofRecord(({ threat: { score } }) => (score >= wanted ? score : undefined)),
    countries: (wanted) => oneOf(wanted, ({ country }) => country),
    asns: (wanted) => oneOf(wanted, ({ asn }) => asn),
    connection_types: (wanted) => oneOf(wanted, ({ connection_type: type }) => type),
    cloud_providers: (wanted) =>
      oneOf(wanted, ({ detection }) => detection.cloud_provider?.toLowerCase()),
    ai_companies: (wanted) => oneOf(wanted, ({ detection }) => detection.ai_company?.toLowerCase()),
    // A flag that no current list knows is false, except for lasting rows.
    flags: (wanted) =>
      ofRecord(({ detection }) => {
        const flags = wanted.filter((flag: Flag) => detection[flag]);
        return flags.length === 0 ? undefined : flags.map((flag) => flag.slice('is_'.length));
      }),
  };
  return (Object.keys(makers) as Condition[]).flatMap((name) => {
    const wanted = conditions[name];
    return wanted === undefined
      ? []
      : [[name, (makers[name] as (value: unknown) => Test)(wanted)] as const];
  });
}

/** What a rule and its files have are one list. */
function inPrefixes(
  wanted: Conditions['prefixes'] = [],
  files: Conditions['prefixes_file'] = [],
): Test {
  const prefixes = new PrefixSet(wanted);
  return ({ address }) => {
    const length = prefixes.lengthAt(address);
    if (length !== undefined) return formatPrefix(address, length);
    return files.find((file) => containsAddress(file, address))?.path;
  };
}

function anySpelling(wanted: readonly string[]): Test {
  const starts = wanted.map((start) => [start, fold(start)] as const);
  return ({ path }) => {
    if (path === undefined) return undefined;
    if (path.folded.length === 0) return 'unusable';
    return starts.find(([, folded]) =>
      path.folded.some((spelling) => spelling.startsWith(folded)),
    )?.[0];
  };
}

function everySpelling(wanted: readonly string[]): Test {
  return ({ path }) => {
    if (path === undefined || path.exact.length === 0) return undefined;
    return wanted.find((start) => path.exact.every((spelling) => spelling.startsWith(start)));
  };
}

const ofRecord =
  (test: (record: RuleRecord) => unknown): Test =>
  ({ record }) =>
    record === undefined ? undefined : test(record);

function oneOf<T>(wanted: readonly T[], of: (record: RuleRecord) => T | undefined): Test {
  const values = new Set(wanted);
  return ofRecord((record) => {
    const value = of(record);
    return value !== undefined && values.has(value) ? value : undefined;
  });
}

function isHost(wanted: string, host: string): boolean {
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : wanted === host;
}

export function requestOf<T extends Pick<RequestFields, 'host' | 'path'>>(request: T): T {
  const { host, path } = request;
  return { ...request, host: host && bytesOf(host), path: path && bytesOf(path) };
}

/** One request, decided and explained. */
export function tryRequest(decider: Decider, dataset: Dataset, request: RequestFields) {
  const match = dataset.find(request.address);
  const record = match === 0 ? undefined : dataset.record(request.address, match);
  const facts = factsOf(requestOf(request), record);
  const { decision, rule } = decider.decide(facts);
  const gap = match === 0 ? undefined : dataset.threatGap(request.address.version, match);
  return { decision, rule, matched: rule && decider.explain(rule, facts), record, gap };
}
