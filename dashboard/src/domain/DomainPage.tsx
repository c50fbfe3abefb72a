import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { DomainCheck, MxHost } from '@whence/server/dashboard-wire/domains';
import { INCLUDABLE_SECTIONS, type IncludableSection } from '@whence/server/vocabulary';
import { lazy, Suspense } from 'react';
import { isFailure } from '../api/call.ts';
import { sessionQuery, useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { CodeBlock, CodeTabs, Copyable, requestTabs } from '../components/Copy.tsx';
import { AddressLink } from '../components/Links.tsx';
import { Loaded, Skeleton } from '../components/Loaded.tsx';
import { Empty, Notice } from '../components/Notice.tsx';
import { Page, PrintButton, Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { count } from '../format/number.ts';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { useRoleIfAny } from '../session/use-session.ts';
import { CheckSection, type CheckState, checkState, Findings } from './CheckSection.tsx';
import { DkimKeys, Selectors } from './Dkim.tsx';
import classes from './DomainPage.module.css';
import { dmarcInWords } from './dmarc-words.ts';
import { Advice, GradeSummary } from './GradeSummary.tsx';
import { MailNetworks } from './MailNetworks.tsx';
import { SpfRecord, SpfTree } from './Spf.tsx';
import { Smtp, Transport } from './Transport.tsx';

const route = getRouteApi('/session/domain/$domain');
const STALE_AFTER_MS = 60_000;
// Loaded when they are shown.
const Senders = lazy(async () => ({ default: (await import('../reports/Senders.tsx')).Senders }));
const TrialEditor = lazy(async () => ({ default: (await import('./TrialEditor.tsx')).TrialEditor }));

export function DomainPage() {
  const { domain } = route.useParams();
  const { selectors = '', include = '' } = route.useSearch();
  const included = parseIncluded(include);
  const query = withoutEmpty({ selectors, include: included.join() });
  const navigate = useNavigate({ from: '/domain/$domain' });
  const check = useAnswer(
    'checkDomain',
    { params: { domain }, query },
    { staleTime: STALE_AFTER_MS, refetchOnWindowFocus: false },
  );
  const search = new URLSearchParams(query).toString();
  const path = `/v1/email/domain/${domain}/dns${search === '' ? '' : `?${search}`}`;
  const change = (next: { selectors?: string; include?: string }) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...next }), resetScroll: false });
  return (
    <Page
      name={domain}
      title={<Copyable text={domain} />}
      actions={
        <>
          <QuietButton
            icon="refresh"
            text="Check again"
            loading={check.isFetching && check.data !== undefined}
            onClick={() => void check.refetch()}
          />
          {check.data?.data.does_exist === true && <TryChangeButton />}
          <PrintButton />
        </>
      }
    >
      {isFailure(check.error, 'INVALID_DOMAIN') ? (
        <Notice tone="warn" title={`${domain} is not a domain that can be checked`}>
          <p>Write a name with at least two parts, such as example.com.</p>
        </Notice>
      ) : (
        <Loaded query={check} shape={[['grade'], ['bars'], ['table']]} domain={domain}>
          {({ data }) => (
            <>
              <GradeSummary check={data} />
              {data.does_exist ? (
                <CheckSections check={data} selectors={selectors} included={included} onChange={change} />
              ) : (
                <Notice title="There is nothing to grade">
                  <p>
                    DNS has no record of any kind for {domain}. Check the spelling, or whether its registration has
                    lapsed.
                  </p>
                </Notice>
              )}
              <CodeTabs tabs={requestTabs(data.report, path, clientCall(domain, selectors, included))} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

type CheckSectionsProps = {
  check: DomainCheck;
  selectors: string;
  included: readonly IncludableSection[];
  onChange: (next: { selectors?: string; include?: string }) => void;
};

function CheckSections({ check, selectors, included, onChange }: CheckSectionsProps) {
  const { advice, sender_rules, senders, sections, report } = check;
  const role = useRoleIfAny();
  const others = sections.filter((name) => !included.includes(name));
  return (
    <>
      <TryChange check={check} selectors={selectors} />
      <Advice advice={advice} senderRules={sender_rules} reports={senders?.text} />
      <RecordSections check={check} selectors={selectors} onSelectors={(text) => onChange({ selectors: text })} />
      {role !== undefined && (
        <Suspense fallback={<Skeleton lines={10} />}>
          <Senders domain={report.domain} dmarc={report.dmarc} />
        </Suspense>
      )}
      {report.transport !== undefined && <Transport report={report.transport} />}
      {report.networks !== undefined && <MailNetworks report={report.networks} />}
      {report.smtp !== undefined && <Smtp report={report.smtp} />}
      {others.length > 0 && (
        <Section
          title="More checks"
          className="no-print"
          note="They do not affect the grade."
          aside={
            <div className={classes['more']}>
              {others.map((name) => (
                <QuietButton
                  key={name}
                  text={INCLUDE_WORDS[name]}
                  onClick={() => onChange({ include: [...included, name].join() })}
                />
              ))}
            </div>
          }
        />
      )}
    </>
  );
}

/** In the address bar as `include=transport,networks`. */
function parseIncluded(text: string): IncludableSection[] {
  const names = text.split(',');
  return INCLUDABLE_SECTIONS.filter((name) => names.includes(name));
}

const INCLUDE_WORDS: Record<IncludableSection, string> = {
  transport: 'Check transport security',
  networks: 'Show networks',
  smtp: 'Connect to the MX hosts',
};

function clientCall(domain: string, selectors: string, included: readonly IncludableSection[]): string {
  const listed = (names: readonly string[]) => `[${names.map((name) => `'${name}'`).join(', ')}]`;
  const options = [
    ...(selectors === '' ? [] : [`selectors: ${listed(selectors.split(',').map((name) => name.trim()))}`]),
    ...(included.length === 0 ? [] : [`include: ${listed(included)}`]),
  ];
  return `emailDomain('${domain}'${options.length === 0 ? '' : `, { ${options.join(', ')} }`})`;
}

/** A record can be without errors and stop nothing, such as p=none. */
function effective(state: CheckState, isProtecting: boolean): CheckState {
  return state === 'valid' && !isProtecting ? 'ineffective' : state;
}

const hostColumns: Column<MxHost>[] = [
  { name: 'Preference', cell: ({ preference }) => preference },
  { name: 'Host', cell: ({ host }) => <Copyable text={host} isMono /> },
  {
    name: 'Addresses',
    isText: true,
    cell: ({ addresses }) =>
      addresses.length === 0 ? (
        <span className="quiet">none</span>
      ) : (
        addresses.map((address, index) => (
          <span key={address}>
            {index > 0 && ', '}
            <AddressLink ip={address} />
          </span>
        ))
      ),
  },
  { name: 'Provider', cell: ({ provider }) => provider ?? <span className="quiet">own or unknown</span> },
];

type RecordSectionsProps = { check: DomainCheck; selectors: string; onSelectors: (text: string) => void };

function RecordSections({ check, selectors, onSelectors }: RecordSectionsProps) {
  const merged = check.advice.find(({ code }) => code === 'spf_merge')?.record;
  const { report, parts, mx_hosts, spf_records, spf_tree, spf_void_lookups, is_dkim_wildcard, is_dmarc_test_mode } =
    check;
  const { mx, spf, dkim, dmarc } = report;
  return (
    <>
      <CheckSection id="mx" title="MX" state={checkState(parts.mx)}>
        {mx_hosts.length > 0 ? (
          <Table isStacked label="Mail hosts" columns={hostColumns} rows={mx_hosts} />
        ) : (
          mx.records.length > 0 && <p>{parts.mx.words}</p>
        )}
        <Findings errors={mx.errors} />
      </CheckSection>
      <CheckSection
        id="spf"
        title="SPF"
        state={effective(checkState(parts.spf), !spf.is_permissive && spf.all_qualifier !== '?')}
      >
        <SpfRecord raw={spf.raw} errors={spf.validation_errors} />
        {spf_records.length > 1 && (
          <>
            {spf_records.slice(1).map((record) => (
              <SpfRecord key={record} raw={record} errors={[]} />
            ))}
            {merged !== undefined && merged !== '' && (
              <>
                <p>All of them in one record, to publish instead:</p>
                <CodeBlock text={merged} label="merged SPF record" />
              </>
            )}
          </>
        )}
        {spf.raw !== '' && (
          <Section
            title="Lookups"
            note={
              spf_void_lookups > 0
                ? `${count(spf_void_lookups, 'void lookup')} (without a result); at most 2 are allowed.`
                : undefined
            }
          >
            <SpfTree root={spf_tree} />
          </Section>
        )}
      </CheckSection>
      <CheckSection
        id="dkim"
        title="DKIM"
        state={parts.dkim.state === 'missing' ? 'not found' : checkState(parts.dkim)}
      >
        {is_dkim_wildcard && (
          <Notice tone="warn" title="A wildcard record answers for every selector">
            <p>A record found under a selector does not show that its key is in use.</p>
          </Notice>
        )}
        {parts.dkim.state === 'unverified' || parts.dkim.state === 'not applicable' ? (
          <p>DKIM: {parts.dkim.words}.</p>
        ) : dkim.length === 0 ? (
          <Empty title="No key was found under the common selectors">
            <p>The domain may use another selector: look for s= in the DKIM-Signature header of a message.</p>
          </Empty>
        ) : (
          <DkimKeys keys={dkim} />
        )}
        <Selectors key={`${report.domain} ${selectors}`} value={selectors} onChange={onSelectors} />
      </CheckSection>
      <CheckSection
        id="dmarc"
        title="DMARC"
        state={effective(checkState(parts.dmarc), dmarc.effective_policy !== 'none')}
      >
        <ul className={classes['words']}>
          {(parts.dmarc.state === 'unverified'
            ? ['The policy could not be verified.']
            : dmarcInWords(dmarc, is_dmarc_test_mode)
          ).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        {dmarc.raw !== '' && <CodeBlock text={dmarc.raw} label="DMARC record" />}
        <Findings errors={dmarc.validation_errors} />
      </CheckSection>
    </>
  );
}

/** Every change of a text is a check, so it needs an account. */
function useMayTry(): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.state === 'signed_in';
}

function TryChangeButton() {
  const { try: tried } = route.useSearch();
  const navigate = useNavigate({ from: '/domain/$domain' });
  if (!useMayTry()) return null;
  return (
    <QuietButton
      icon="pencil"
      text="Try a change"
      aria-expanded={tried !== undefined}
      onClick={() =>
        void navigate({
          search: ({ try: open, ...before }) => (open === undefined ? { ...before, try: {} } : before),
          ...IN_PLACE,
        })
      }
    />
  );
}

function TryChange({ check, selectors }: { check: DomainCheck; selectors: string }) {
  const { try: tried } = route.useSearch();
  if (!useMayTry() || tried === undefined) return null;
  return (
    <Suspense fallback={<Skeleton lines={10} />}>
      <TrialEditor key={check.report.domain} check={check} selectors={selectors} tried={tried} />
    </Suspense>
  );
}
