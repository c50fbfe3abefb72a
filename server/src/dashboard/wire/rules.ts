/**
 * The rules file of `GET /v1/decide` as the dashboard shows it. The file is the source: nothing of
 * it is changed here.
 */
import type { Mistake } from '../../rules/parse-rules.ts';
import type { ReplayReport } from '../../rules/replay.ts';
import type { Rule, RuleSet } from '../../rules/rule-sets.ts';
import type { DecisionFigures } from '../../usage/traffic-report.ts';
import type { BatchRecord } from './lookups.ts';

/** Line and column are those of the file, from 1. */
export type RuleMistake = Mistake;
/** A condition with the values that meet it, such as `countries` and `NO, SE`. */
export type RuleCondition = { name: string; values: string };

export type RulesPage = {
  /** Absent without WHENCE_RULES. */
  path?: string;
  /** Why the present file is not in use. `mistakes` is empty if it could not be read. */
  refusal?: { text: string; mistakes: RuleMistake[] };
  /** Rules that match everything, can never match, or need what the dataset does not know. */
  warnings: RuleMistake[];
  /** Decisions of all sets, as on Home. Absent without rules. */
  decisions_today?: DecisionFigures;
  sets: RuleSetState[];
  lists: { name: string; line: number; conditions: RuleCondition[] }[];
};
export type RuleSetState = Pick<RuleSet, 'name' | 'mode' | 'default'> & {
  rules: RuleState[];
  /** Requests that no rule decided. */
  default_matches: number;
};
/** `matches`: requests since 00:00 UTC, over all processes, without those of the last seconds. */
export type RuleState = Pick<Rule, 'name' | 'action' | 'status'> & {
  line: number;
  conditions: RuleCondition[];
  matches: number;
};

/**
 * `rule` is absent where the default of the set decided; `matched` lists the values that met its
 * conditions.
 */
export type TriedRule = {
  decision: 'allow' | 'deny' | 'observe';
  set: string;
  rule?: string;
  matched: RuleCondition[];
  /** Absent for an address that no network announces. */
  record?: BatchRecord;
};

/** A request of a log. The line is that of the log, from 1. */
export type LoggedRequest = { line: number; ip: string; method?: string; path?: string };

/** What a set would have done to the requests of a log. */
export type ReplayedLog = Omit<ReplayReport, 'rules'> & {
  /** With the first requests that each of them decided. */
  rules: (ReplayReport['rules'][number] & { examples: LoggedRequest[] })[];
  /** Absent where every line has a client. `reason` follows “The line”. */
  first_unread?: { line: number; reason: string; text: string };
};
