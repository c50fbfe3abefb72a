import { Link } from '@tanstack/react-router';
import type { Overview } from '@whence/server/dashboard-wire/usage';
import { useAnswer } from '../api/query-client.ts';
import { Shares } from '../components/Bars.tsx';
import { QuietButton } from '../components/Buttons.tsx';
import { type NumberItem, Numbers } from '../components/Facts.tsx';
import { KeyLink } from '../components/Links.tsx';
import { Loaded, LoadedLead } from '../components/Loaded.tsx';
import { Empty, Notice } from '../components/Notice.tsx';
import { Page, Section, Verdict } from '../components/Page.tsx';
import { Table } from '../components/Table.tsx';
import { UpdateButton, UpdateNotice, updateProblem } from '../data/Updates.tsx';
import { type AgeLevel, ageLevel, ageWords, routesOf } from '../format/data-age.ts';
import { count, formatNumber } from '../format/number.ts';
import {
  apiRequests,
  countedWords,
  decisionCount,
  decisionWords,
} from '../format/request-counts.ts';
import { useNow } from '../format/Time.tsx';
import { COST_WORDS } from '../format/update-cost.ts';
import { KeyStateTag, limitWords, QuotaBar } from '../keys/KeyState.tsx';
import { useRole } from '../session/use-session.ts';
import { GettingStarted, hasUpdateButton, useGettingStarted } from './GettingStarted.tsx';
import classes from './HomePage.module.css';
import { TrafficSection } from './TrafficSection.tsx';

const REFRESH_MS = 30_000;
const RUNNING_MS = 1500;

export function HomePage() {
  const overview = useAnswer(
    'getOverview',
    {},
    {
      refetchInterval: ({ state }) =>
        state.data?.data.update.outcome === 'running' ? RUNNING_MS : REFRESH_MS,
    },
  );
  return (
    <Page
      name="Home"
      title="Home"
      lead={<LoadedLead query={overview}>{({ data }) => <HomeLead overview={data} />}</LoadedLead>}
    >
      <Loaded query={overview} shape={[['figures'], ['figures'], ['chart'], ['bars']]}>
        {({ data }) => <HomeSections overview={data} />}
      </Loaded>
    </Page>
  );
}

function HomeLead({ overview: { update, dataset, limits } }: OverviewProps) {
  const routes = useRoutesDay();
  const isRunning = update.outcome === 'running';
  const mail = useAnswer(
    'listWatched',
    { query: { limit: 1, open: true } },
    { refetchInterval: REFRESH_MS },
  );
  const failing = mail.data?.data.total ?? 0;
  return (
    <>
      <Verdict
        text={attention([
          isRunning ? '' : (updateProblem({ update, builtAt: dataset?.built_at }) ?? ''),
          routes.isOld && !isRunning ? `routes are ${routes.words}` : '',
          dataset?.limits.threat_gap === undefined || routes.isOld || isRunning
            ? ''
            : 'threats are not known',
          failing === 0
            ? ''
            : `${count(failing, 'watched domain has', 'watched domains have')} open events`,
          ...limitWords(limits),
        ])}
      />
      {failing > 0 && (
        <QuietButton
          className={classes['act']}
          text="Show open events"
          renderRoot={(props) => <Link to="/mail" search={{ state: 'open' }} {...props} />}
        />
      )}
    </>
  );
}

function HomeSections({ overview }: OverviewProps) {
  const { isAtLeast } = useRole();
  const gettingStarted = useGettingStarted(overview.first_run);
  const hasButton =
    gettingStarted.isShown &&
    gettingStarted.isOpen &&
    hasUpdateButton(overview, isAtLeast('admin'));
  const { update, dataset, keys_near_limit: keys, refused } = overview;
  const routes = useRoutesDay();
  const numbers = figures(overview, isAtLeast('admin'), isAtLeast('member'));
  return (
    <>
      {gettingStarted.isShown && overview.first_run && (
        <GettingStarted
          steps={overview.first_run}
          overview={overview}
          isOpen={gettingStarted.isOpen}
          onClose={gettingStarted.close}
        />
      )}
      {!hasButton && (
        <UpdateNotice
          update={update}
          builtAt={dataset?.built_at}
          // Data that is old has a notice of its own.
          gap={routes.isOld ? undefined : dataset?.limits.threat_gap}
          withButton
        />
      )}
      {routes.isOld && !hasButton && (
        <OldData
          words={routes.words}
          isVeryOld={routes.level === 'very old'}
          update={update}
          // The notice of the update has the button.
          withButton={updateProblem({ update, builtAt: dataset?.built_at }) === undefined}
        />
      )}
      {keys.length > 0 && (
        <Section title="Keys at or near their limit">
          <KeysNearLimit keys={keys} />
        </Section>
      )}
      {hasFigures(overview) && (
        <>
          {numbers.length > 0 && <Numbers items={numbers} />}
          {refused !== undefined && <TrafficSection refused={refused} />}
          {isAtLeast('member') && (
            <Section
              title="Most requests today"
              note={keys.length > 0 ? undefined : 'No key has used 80% of its limit.'}
            >
              <TopKeys overview={overview} />
            </Section>
          )}
        </>
      )}
    </>
  );
}

type OverviewProps = { overview: Overview };

/** The answer of the page: whether someone has to do something. */
function attention(parts: readonly string[]): string {
  const problems = parts.filter((part) => part !== '');
  if (problems.length === 0) return 'Nothing needs your attention.';
  return `${problems.length === 1 ? 'One thing needs' : `${problems.length} things need`} your attention: ${problems.join('; ')}.`;
}

type OldDataProps = {
  words: string;
  isVeryOld: boolean;
  update: Overview['update'];
  withButton: boolean;
};

function OldData({ words, isVeryOld, update, withButton }: OldDataProps) {
  const { isAtLeast } = useRole();
  if (update.outcome === 'running') return null;
  const mayStart = isAtLeast('admin') && update.schedule.can_start;
  let remedy = mayStart ? COST_WORDS : 'An administrator can fetch newer lists.';
  if (update.schedule.kind === 'pull')
    remedy = 'This server pulls its dataset from another host, which has to build a newer one.';
  return (
    <Notice tone={isVeryOld ? 'bad' : 'warn'} title={`The routes of this dataset are ${words}`}>
      <p>{remedy}</p>
      {withButton && mayStart && <UpdateButton update={update} />}
    </Notice>
  );
}

/** Before anything was looked up, every number would be zero. */
function hasFigures({ first_run, today, yesterday }: Overview): boolean {
  if (first_run === undefined || first_run.has_used_key) return true;
  return apiRequests(today) + apiRequests(yesterday) > 0;
}

/** Members see the requests of their own keys, which viewers cannot have. */
function figures(
  { today, yesterday, decisions_today }: Overview,
  isAdmin: boolean,
  hasKeys: boolean,
): NumberItem[] {
  return [
    ...(hasKeys
      ? [
          {
            name: `API requests${isAdmin ? '' : ' with your keys'} today, UTC`,
            value: formatNumber(apiRequests(today)),
            note: `${isAdmin ? `${countedWords(today)}, ` : ''}${formatNumber(apiRequests(yesterday))} yesterday`,
          },
        ]
      : []),
    ...(decisions_today === undefined ? [] : [decisionFigure(decisions_today)]),
  ];
}

function decisionFigure(decisions: NonNullable<Overview['decisions_today']>): NumberItem {
  return {
    name: 'Decisions today, UTC',
    value: formatNumber(decisionCount(decisions)),
    note: <Link to="/rules">{decisionWords(decisions)}</Link>,
  };
}

/** The age of the data, which the header shows; that of the build says little. */
function useRoutesDay(): { words: string; level?: AgeLevel; isOld: boolean } {
  const now = useNow();
  const { data } = useAnswer('getDataAges', {});
  const day = data && routesOf(data.data.groups, 'ipv4')?.as_of;
  if (day === undefined) return { words: data === undefined ? '' : 'of unknown age', isOld: false };
  const level = ageLevel(day, now);
  return { words: ageWords(day, now), level, isOld: level !== 'fresh' };
}

function KeysNearLimit({ keys }: { keys: Overview['keys_near_limit'] }) {
  return (
    <Table
      isStacked
      label="Keys at or near their limit"
      rows={keys}
      columns={[
        { name: 'Key', cell: ({ id, name }) => <KeyLink id={id} name={name} /> },
        { name: 'State', cell: (key) => <KeyStateTag summary={key} /> },
        { name: 'Today', cell: ({ quota }) => <QuotaBar quota={quota} withReset /> },
      ]}
    />
  );
}

function TopKeys({ overview: { top_keys, today } }: OverviewProps) {
  if (top_keys.length === 0) {
    return (
      <Empty title="No requests today">
        <p>
          <Link to="/keys" search={{ create: 'yes' }}>
            Create a key
          </Link>{' '}
          and send it in the X-API-Key header.
        </p>
      </Empty>
    );
  }
  return (
    <Shares
      total={apiRequests(today)}
      items={top_keys.map(({ id, label, requests }) => ({
        key: id,
        amount: requests,
        name: (
          <Link to="/keys/usage" search={{ key: id }}>
            {label}
          </Link>
        ),
      }))}
    />
  );
}
