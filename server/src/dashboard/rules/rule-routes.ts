/** The rules in force, what they have matched today, and a request or a log to try them on. */
import { parseAddress } from '@whence/dataset/address';
import { ApiError } from '../../http/errors.ts';
import { MAX_LOG_BYTES } from '../../http/limits.ts';
import { rawBody } from '../../http/requests.ts';
import type { LiveDataset, ServedDataset } from '../../lookup/live-dataset.ts';
import { requireDataset } from '../../lookup/lookup-requests.ts';
import { type Decider, tryRequest } from '../../rules/decide.ts';
import type { LiveRules } from '../../rules/live-rules.ts';
import type { PrefixFile } from '../../rules/prefix-file.ts';
import { type Conditions, DEFAULT_SET, type RuleFile } from '../../rules/rule-sets.ts';
import type { TrafficStore } from '../../storage/stores/usage-store.ts';
import { decisionFigures, decisionSum, decisionsToday } from '../../usage/traffic-report.ts';
import { forViewers, type Rows, route } from '../requests/ask.ts';
import type { RuleCondition, RulesPage } from '../wire/rules.ts';
import { LogReplays } from './log-replays.ts';

/** Values of a condition that are shown; the file has all of them. */
const SHOWN_VALUES = 20;
/** Maximum on the page; `wh decide check` shows all. */
const SHOWN_WARNINGS = 100;

type RuleSources = {
  /** Undefined without WHENCE_RULES. */
  readonly rules: LiveRules | undefined;
  readonly live: Pick<LiveDataset, 'current'>;
  readonly storage: { readonly traffic: TrafficStore };
};

export function ruleRoutes({ rules, live, storage }: RuleSources) {
  const replays = new LogReplays();
  return {
    getRules: forViewers(async ({ now }) => {
      if (rules === undefined) return { warnings: [], sets: [], lists: [] };
      const { path, refusal, mistakes, file } = rules;
      const decisions = await decisionsToday(storage.traffic, now);
      const dataset = live.current?.dataset;
      return {
        path,
        ...(refusal && { refusal: { text: refusal, mistakes: [...mistakes] } }),
        warnings: dataset === undefined ? [] : rules.warnings(dataset).slice(0, SHOWN_WARNINGS),
        decisions_today: decisionFigures(decisions),
        ...describeRules(file, (set, rule) =>
          decisionSum(
            decisions.filter((decision) => decision.set === set && decision.rule === rule),
          ),
        ),
      };
    }),
    tryRule: route('viewer', { counts: 'decide', costs: ['lookup'] }, ({ query }) => {
      const { ip = '', host, path, method, set = DEFAULT_SET } = query;
      const served = requireDataset(live);
      const address = parseAddress(ip);
      if (address === undefined) throw new ApiError('INVALID_IP');
      const decider = requireDecider(rules, set, served);
      const tried = { address, host, path, method };
      const answer = tryRequest(decider, served.dataset, tried);
      const { decision, rule, matched = {}, record, gap } = answer;
      return {
        decision,
        set,
        ...(rule && { rule: rule.name }),
        matched: describeConditions(matched),
        ...(record && { record: { ...record, ...(gap && { threat_gap: gap }) } }),
      };
    }),
    replayLog: {
      ...route('viewer', { counts: 'decide', costs: ['scan'] }, ({ query, request, requester }) => {
        const served = requireDataset(live);
        const decider = requireDecider(rules, query.set ?? DEFAULT_SET, served);
        return replays.run(rawBody(request), decider, served.dataset, requester);
      }),
      maxRawBytes: MAX_LOG_BYTES,
    },
  } satisfies Rows;
}

function requireDecider(rules: LiveRules | undefined, set: string, served: ServedDataset): Decider {
  if (rules?.isUnavailable === true) throw new ApiError('RULES_UNAVAILABLE');
  const decider = rules?.decider(set, served);
  if (decider === undefined) throw new ApiError('RULE_SET_NOT_FOUND');
  return decider;
}

function describeRules(
  { sets, lists }: RuleFile = { sets: new Map(), lists: new Map() },
  matchesOf: (set: string, rule: string) => number,
): Pick<RulesPage, 'sets' | 'lists'> {
  return {
    sets: [...sets.values()].map(({ rules, ...set }) => ({
      ...set,
      rules: rules.map(({ name, action, status, position: { line }, conditions }) => ({
        name,
        action,
        status,
        line,
        conditions: describeConditions(conditions),
        matches: matchesOf(set.name, name),
      })),
      default_matches: matchesOf(set.name, ''),
    })),
    lists: [...lists.values()].map(({ name, conditions, position: { line } }) => ({
      name,
      line,
      conditions: describeConditions(conditions),
    })),
  };
}

function describeConditions(
  conditions: { readonly [Name in keyof Conditions]?: unknown },
): RuleCondition[] {
  return Object.entries(conditions).map(([name, value]) => {
    const values = (Array.isArray(value) ? value : [value]).map((item) =>
      typeof item === 'object' ? (item as PrefixFile).path : String(item).replace(/^is_/, ''),
    );
    const more = values.length > SHOWN_VALUES ? `, and ${values.length - SHOWN_VALUES} more` : '';
    return { name, values: `${values.slice(0, SHOWN_VALUES).join(', ')}${more}` };
  });
}
