import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { DomainCheck, ShownDomain } from '@whence/server/dashboard-wire/domains';
import { INCLUDABLE_SECTIONS, type IncludableSection } from '@whence/server/vocabulary';
import { lazy, Suspense } from 'react';
import { isFailure } from '../api/call.ts';
import { useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { CodeTabs, requestTabs } from '../components/CodeTabs.tsx';
import { Copyable } from '../components/Copy.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Loaded, Skeleton } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Page, PrintButton } from '../components/Page.tsx';
import { PageTabs, useTab } from '../components/PageTabs.tsx';
import { domainName } from '../interpret.ts';
import { withoutEmpty } from '../search-params.ts';
import { useRoleIfAny } from '../session/use-session.ts';
import { unicodeDomain } from '../unicode-domain.ts';
import { useWatched } from '../watch/use-watched.ts';
import { Advice, GradeSummary } from './GradeSummary.tsx';
import { FurtherChecks, Records } from './Records.tsx';

const route = getRouteApi('/session/domain/$domain');
const STALE_AFTER_MS = 60_000;
// Loaded when they are shown.
const TlsReports = lazy(async () => ({
  default: (await import('../reports/TlsReports.tsx')).TlsReports,
}));
const Senders = lazy(async () => ({ default: (await import('../reports/Senders.tsx')).Senders }));
const DomainEvents = lazy(async () => ({
  default: (await import('../watch/DomainEvents.tsx')).DomainEvents,
}));
const TrialEditor = lazy(async () => ({
  default: (await import('./TrialEditor.tsx')).TrialEditor,
}));

export function DomainPage() {
  const written = route.useParams().domain;
  // In the address bar it may also be in Unicode, in capitals or with a dot at the end.
  const domain = domainName(written) ?? written;
  const name = unicodeDomain(domain);
  const { selectors = '', include = '' } = route.useSearch();
  const included = parseIncluded(include);
  const query = withoutEmpty({ selectors, include: included.join() });
  const navigate = useNavigate({ from: '/domain/$domain' });
  const check = useAnswer(
    'checkDomain',
    { params: { domain }, query },
    { staleTime: STALE_AFTER_MS, refetchOnWindowFocus: false },
  );
  const { watched, canBeWatched, watch } = useWatched(domain);
  const search = new URLSearchParams(query).toString();
  const path = `/v1/email/domain/${domain}/dns${search === '' ? '' : `?${search}`}`;
  const change = (next: { selectors?: string; include?: string }) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...next }), resetScroll: false });
  return (
    <Page
      name={name}
      title={<Copyable text={name} />}
      lead={name === domain ? undefined : <Copyable text={domain} isMono />}
      actions={
        <>
          {canBeWatched && (
            <QuietButton
              icon="plus"
              text="Watch this domain"
              loading={watch.isPending}
              onClick={() => watch.mutate()}
            />
          )}
          <QuietButton
            icon="refresh"
            text="Check again"
            loading={check.isFetching && check.data !== undefined}
            onClick={() => void check.refetch()}
          />
          <PrintButton />
        </>
      }
    >
      <FailureNotice error={watch.error} />
      {isFailure(check.error, 'INVALID_DOMAIN') ? (
        <Notice tone="warn" title={`${name} is not a domain that can be checked`}>
          <p>Write a name with at least two parts, such as example.com.</p>
        </Notice>
      ) : (
        <Loaded query={check} shape={[['grade'], ['bars'], ['table']]} domain={name}>
          {({ data }) => (
            <DomainTabs
              check={data}
              watched={watched}
              selectors={selectors}
              included={included}
              onChange={change}
              code={requestTabs(data.report, path, clientCall(domain, selectors, included))}
            />
          )}
        </Loaded>
      )}
      {check.data === undefined && check.isError && <Events watched={watched} />}
    </Page>
  );
}

const TABS = { verdict: 'Verdict', records: 'Records', json: 'JSON' };
/** Every change of a text is a check, and reports belong to the domain's owner: for accounts. */
const ACCOUNT_TABS = {
  verdict: 'Verdict',
  records: 'Records',
  senders: 'Senders',
  tls: 'TLS',
  try: 'Try',
  json: 'JSON',
};

type DomainTabsProps = {
  check: DomainCheck;
  watched: ShownDomain | undefined;
  selectors: string;
  included: readonly IncludableSection[];
  onChange: (next: { selectors?: string; include?: string }) => void;
  code: ReturnType<typeof requestTabs>;
};

function DomainTabs(props: DomainTabsProps) {
  const { check, watched, selectors, included, onChange, code } = props;
  const { try: tried = {} } = route.useSearch();
  const tabs = useRoleIfAny() === undefined ? TABS : ACCOUNT_TABS;
  const tab = useTab(tabs);
  const { advice, sender_rules, senders, report } = check;
  if (!check.does_exist)
    return (
      <>
        <GradeSummary check={check} />
        <Notice title="There is nothing to grade">
          <p>
            DNS has no record of any kind for {unicodeDomain(report.domain)}. Check the spelling, or
            whether its registration has lapsed.
          </p>
        </Notice>
        <Events watched={watched} />
      </>
    );
  return (
    <>
      <PageTabs tabs={tabs} />
      {tab === 'verdict' && (
        <>
          <GradeSummary check={check} />
          <Events watched={watched} />
          <Advice advice={advice} senderRules={sender_rules} reports={senders} />
        </>
      )}
      {tab === 'records' && (
        <>
          <Records
            check={check}
            selectors={selectors}
            onSelectors={(text) => onChange({ selectors: text })}
          />
          <FurtherChecks check={check} included={included} onChange={onChange} />
        </>
      )}
      {tab === 'senders' && (
        <Suspense fallback={<Skeleton lines={10} />}>
          <Senders domain={report.domain} dmarc={report.dmarc} />
        </Suspense>
      )}
      {tab === 'tls' && (
        <Suspense fallback={<Skeleton lines={10} />}>
          <TlsReports domain={report.domain} />
        </Suspense>
      )}
      {tab === 'try' && (
        <Suspense fallback={<Skeleton lines={10} />}>
          <TrialEditor key={report.domain} check={check} selectors={selectors} tried={tried} />
        </Suspense>
      )}
      {tab === 'json' && <CodeTabs tabs={code} />}
    </>
  );
}

/** Also of a domain that cannot be checked now. */
function Events({ watched }: Pick<DomainTabsProps, 'watched'>) {
  if (watched === undefined) return null;
  return (
    <Suspense fallback={<Skeleton lines={4} />}>
      <DomainEvents watched={watched} />
    </Suspense>
  );
}

/** In the address bar as `include=transport,networks`. */
function parseIncluded(text: string): IncludableSection[] {
  const names = text.split(',');
  return INCLUDABLE_SECTIONS.filter((name) => names.includes(name));
}

function clientCall(
  domain: string,
  selectors: string,
  included: readonly IncludableSection[],
): string {
  const listed = (names: readonly string[]) => `[${names.map((name) => `'${name}'`).join(', ')}]`;
  const options = [
    ...(selectors === ''
      ? []
      : [`selectors: ${listed(selectors.split(',').map((name) => name.trim()))}`]),
    ...(included.length === 0 ? [] : [`include: ${listed(included)}`]),
  ];
  return `emailDomain('${domain}'${options.length === 0 ? '' : `, { ${options.join(', ')} }`})`;
}
