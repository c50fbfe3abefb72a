/**
 * The rules of `GET /v1/decide`: which are in force, what they matched today, and which one decides
 * about a request, or about those of a log.
 */
import type {
  RuleMistake,
  RuleSetState,
  RuleState,
  RulesPage as Rules,
} from '@whence/server/dashboard-wire/rules';
import { blocks as guide } from '../../../docs/decide.md?blocks';
import { useAnswer } from '../api/query-client.ts';
import { CodeTabs } from '../components/CodeTabs.tsx';
import { CodeBlock, Copyable } from '../components/Copy.tsx';
import { CreateKeyLink } from '../components/Links.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Page, Section, Verdict } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag, Tags } from '../components/Tag.tsx';
import { count, formatNumber } from '../format/number.ts';
import { decisionCount, decisionWords } from '../format/request-counts.ts';
import { useRole } from '../session/use-session.ts';
import { ReplayLog } from './ReplayLog.tsx';
import { Conditions, TryRequest } from './TryRequest.tsx';

const REFRESH_MS = 3_000;

export function RulesPage() {
  const rules = useAnswer('getRules', {}, { refetchInterval: REFRESH_MS });
  const path = rules.data?.data.path;
  return (
    <Page
      name="Rules"
      title="Rules"
      lead={
        path === undefined ? (
          'Which requests your proxy lets through, by network, country, flag, host and path.'
        ) : (
          <>
            The file is the source, and a change of it is used within a second:{' '}
            <Copyable text={path} isMono />
          </>
        )
      }
    >
      <Loaded query={rules} shape={[['bars'], ['table']]}>
        {({ data }) => (
          <>
            {data.path === undefined ? <NoRules /> : <InForce rules={data} />}
            <AtTheProxy />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function NoRules() {
  return (
    <Section
      title="How to begin"
      note="No rules file is set. Requests are decided by rules in a file on the server."
    >
      <p>1. Write a file with the rules, YAML or JSON:</p>
      <CodeBlock text={guide['In five minutes']?.[0]?.text ?? ''} label="rules file" />
      <p>2. Check it, and start the server with it:</p>
      <CodeBlock
        text={'wh decide check rules.yaml\nWHENCE_RULES=rules.yaml wh serve'}
        label="commands"
      />
      <p>3. Let your proxy ask, as below.</p>
    </Section>
  );
}

/** HAProxy needs two files. */
const PROXIES = ['nginx', 'Caddy', 'HAProxy', 'Traefik'].flatMap((name) =>
  (guide[name] ?? []).map(({ language, text }) => ({
    name: language === 'lua' ? `${name}, Lua` : name,
    text,
  })),
);

/** The configurations of the guide. */
function AtTheProxy() {
  const { isAtLeast } = useRole();
  return (
    <Section
      title="At the proxy"
      note="The proxy asks about each request before it serves it. Put a key with the permission decide:read in place of WHENCE_KEY."
      aside={isAtLeast('member') && <CreateKeyLink permission="decide:read" />}
    >
      <CodeTabs tabs={PROXIES} />
    </Section>
  );
}

function InForce({ rules }: { rules: Rules }) {
  const { refusal, warnings, sets, lists, decisions_today: decisions } = rules;
  return (
    <>
      {decisions !== undefined && <Verdict text={decidedToday(decisions)} />}
      {refusal !== undefined && (
        <Notice
          tone="bad"
          title={
            refusal.mistakes.length === 0
              ? 'The file cannot be used'
              : `The file as it is now has ${count(refusal.mistakes.length, 'mistake')}`
          }
        >
          <p>
            {sets.length === 0
              ? 'No rules are in use: every decision request is refused.'
              : 'The previous rules, listed below, stay in use.'}
          </p>
          {refusal.mistakes.length === 0 ? (
            <p>{refusal.text}</p>
          ) : (
            <Mistakes mistakes={refusal.mistakes} />
          )}
        </Notice>
      )}
      {warnings.length > 0 && (
        <Notice tone="warn" title={count(warnings.length, 'warning')}>
          <Mistakes mistakes={warnings} />
        </Notice>
      )}
      {sets.length > 0 && <TryRequest sets={sets.map(({ name }) => name)} />}
      {sets.map((set) => (
        <RuleSet key={set.name} set={set} />
      ))}
      {lists.length > 0 && (
        <Section title="Lists" note="Addresses for firewalls, as files at /v1/lists.">
          <Table isStacked label="Lists" columns={listColumns} rows={lists} />
        </Section>
      )}
      {sets.length > 0 && <ReplayLog sets={sets} />}
    </>
  );
}

function decidedToday(decisions: NonNullable<Rules['decisions_today']>): string {
  const total = decisionCount(decisions);
  if (total === 0) return 'No request was decided today, UTC.';
  return `${count(total, 'request')} decided today, UTC: ${decisionWords(decisions)}.`;
}

function Mistakes({ mistakes }: { mistakes: readonly RuleMistake[] }) {
  return (
    <ul>
      {mistakes.map(({ line, column, message }) => (
        <li key={`${line} ${column} ${message}`}>
          Line {line}, column {column}: {message}
        </li>
      ))}
    </ul>
  );
}

function RuleSet({ set }: { set: RuleSetState }) {
  const { name, mode, default: otherwise, rules, default_matches } = set;
  // The default is shown as the last row, which decides where no rule matches.
  const rows = [
    ...rules,
    {
      name: 'default',
      action: otherwise,
      conditions: [],
      matches: default_matches,
      isDefault: true,
    },
  ];
  return (
    <Section
      title={`Set ${name}`}
      note="The first rule that matches decides. Matches are of today, UTC."
      aside={
        mode === 'observe' && (
          <Tags>
            <Tag tone="warn" text="observe: nothing is refused" />
          </Tags>
        )
      }
    >
      <Table isStacked label={`Rules of ${name}`} columns={ruleColumns} rows={rows} />
    </Section>
  );
}

type Row = Omit<RuleState, 'line' | 'status'> &
  Partial<RuleState> & { readonly isDefault?: boolean };

const ruleColumns: Column<Row>[] = [
  {
    name: 'Rule',
    cell: ({ name, isDefault }) => (isDefault ? <span className="quiet">otherwise</span> : name),
  },
  {
    name: 'If',
    isText: true,
    cell: ({ conditions, isDefault }) => !isDefault && <Conditions conditions={conditions} />,
  },
  {
    name: 'Then',
    cell: ({ action, status }) =>
      action === 'deny' && status !== undefined ? (
        <span className="nowrap">deny, {status}</span>
      ) : (
        action
      ),
  },
  { name: 'Line', align: 'end', cell: ({ line }) => line },
  { name: 'Matches today', align: 'end', cell: ({ matches }) => formatNumber(matches) },
];

const listColumns: Column<Rules['lists'][number]>[] = [
  { name: 'List', cell: ({ name }) => name },
  { name: 'If', isText: true, cell: ({ conditions }) => <Conditions conditions={conditions} /> },
  { name: 'Line', align: 'end', cell: ({ line }) => line },
];
