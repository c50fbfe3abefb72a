import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { DomainCheck } from '@whence/server/dashboard-wire';
import { isFailure } from '../api/failure.ts';
import { answerQuery } from '../api/query-client.ts';
import { CodeBox } from '../copy/CodeBox.tsx';
import { Copyable } from '../copy/Copyable.tsx';
import { CodeTabs, requestTabs } from '../parts/CodeTabs.tsx';
import { Page } from '../parts/Page.tsx';
import { PrintButton } from '../parts/PrintButton.tsx';
import { Section } from '../parts/Section.tsx';
import { Empty } from '../states/Empty.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { Notice } from '../states/Notice.tsx';
import { Advice } from './Advice.tsx';
import { DkimKeys } from './DkimKeys.tsx';
import classes from './DomainPage.module.css';
import { dmarcInWords } from './dmarc-words.ts';
import { Findings } from './Findings.tsx';
import { GradeSummary } from './GradeSummary.tsx';
import { INCLUDABLE, type Includable, parseIncluded } from './includable.ts';
import { MailNetworks } from './MailNetworks.tsx';
import { Part } from './Part.tsx';
import { Selectors } from './Selectors.tsx';
import { SpfRecord } from './SpfRecord.tsx';
import { SpfTree } from './SpfTree.tsx';
import { Transport } from './Transport.tsx';

const route = getRouteApi('/gate/domain/$domain');
const FRESH_MS = 60_000;

export function DomainPage() {
  const { domain } = route.useParams();
  const { selectors = '', include = '' } = route.useSearch();
  const included = parseIncluded(include);
  const query = {
    ...(selectors === '' ? {} : { selectors }),
    ...(included.length === 0 ? {} : { include: included.join() }),
  };
  const navigate = useNavigate({ from: '/domain/$domain' });
  const check = useQuery({
    ...answerQuery('checkDomain', { params: { domain }, query }),
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
  });
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
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={15} aria-hidden />}
            loading={check.isFetching && check.data !== undefined}
            onClick={() => void check.refetch()}
          >
            Check again
          </Button>
          <PrintButton />
        </>
      }
    >
      {isFailure(check.error, 'INVALID_DOMAIN') ? (
        <Notice tone="warn" title={`${domain} is not a domain that can be checked`}>
          <p>Write a name with at least two parts, such as example.com.</p>
        </Notice>
      ) : (
        <Loaded query={check} lines={14}>
          {({ data }) => (
            <>
              <GradeSummary check={data} />
              <Advice advice={data.advice} />
              <Parts check={data} selectors={selectors} onSelectors={(text) => change({ selectors: text })} />
              {data.report.transport !== undefined && <Transport report={data.report.transport} />}
              {data.report.networks !== undefined && <MailNetworks report={data.report.networks} />}
              {included.length < INCLUDABLE.length && (
                <Section
                  title="Also"
                  note="Neither counts for the grade."
                  aside={
                    <div className={`${classes['more']} no-print`}>
                      {INCLUDABLE.filter((name) => !included.includes(name)).map((name) => (
                        <Button
                          key={name}
                          variant="default"
                          size="xs"
                          onClick={() => change({ include: [...included, name].join() })}
                        >
                          {MORE[name]}
                        </Button>
                      ))}
                    </div>
                  }
                >
                  {null}
                </Section>
              )}
              <CodeTabs tabs={requestTabs(data.report, path, clientCall(domain, selectors, included))} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

const MORE: Record<Includable, string> = {
  transport: 'Check transport security',
  networks: 'Show networks',
};

function clientCall(domain: string, selectors: string, included: readonly Includable[]): string {
  const listed = (names: readonly string[]) => `[${names.map((name) => `'${name}'`).join(', ')}]`;
  const options = [
    ...(selectors === '' ? [] : [`selectors: ${listed(selectors.split(',').map((name) => name.trim()))}`]),
    ...(included.length === 0 ? [] : [`include: ${listed(included)}`]),
  ];
  return `emailDomain('${domain}'${options.length === 0 ? '' : `, { ${options.join(', ')} }`})`;
}

/** An empty parameter does not appear in the address bar. */
function withoutEmpty(params: { selectors?: string; include?: string }) {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''));
}

type PartsProps = { check: DomainCheck; selectors: string; onSelectors: (text: string) => void };

function Parts({ check, selectors, onSelectors }: PartsProps) {
  const { report, spf_tree, spf_void_lookups, is_dkim_wildcard, is_dmarc_test_mode } = check;
  const { mx, spf, dkim, dmarc } = report;
  return (
    <>
      <Part id="mx" title="MX" state={mx.records.length === 0 ? 'missing' : mx.is_valid ? 'valid' : 'invalid'}>
        {mx.records.length > 0 && (
          <ol className={classes['hosts']}>
            {mx.records.map((host) => (
              <li key={host}>
                <Copyable text={host} isMono />
              </li>
            ))}
          </ol>
        )}
        <Findings errors={mx.errors} />
      </Part>
      <Part id="spf" title="SPF" state={spf.raw === '' ? 'missing' : spf.is_valid ? 'valid' : 'invalid'}>
        <SpfRecord raw={spf.raw} errors={spf.validation_errors} />
        {spf.raw !== '' && (
          <Section
            title="Lookups"
            {...(spf_void_lookups > 0 ? { note: `${spf_void_lookups} of 2 allowed lookups find nothing.` } : {})}
          >
            <SpfTree root={spf_tree} />
          </Section>
        )}
      </Part>
      <Part id="dkim" title="DKIM" state={dkimState(check)}>
        {is_dkim_wildcard && (
          <Notice tone="warn" title="A wildcard record answers for every selector">
            <p>What is found under one selector says nothing about the keys that are in use.</p>
          </Notice>
        )}
        {dkim.length === 0 ? (
          <Empty title="None of the common selectors exists">
            <p>
              The domain may sign with a selector of its own: it stands after s= in the DKIM-Signature of a message.
            </p>
          </Empty>
        ) : (
          <DkimKeys keys={dkim} />
        )}
        <Selectors key={selectors} value={selectors} onChange={onSelectors} />
      </Part>
      <Part id="dmarc" title="DMARC" state={dmarc.raw === '' ? 'missing' : dmarc.is_valid ? 'valid' : 'invalid'}>
        <ul className={classes['words']}>
          {dmarcInWords(dmarc, is_dmarc_test_mode).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        {dmarc.raw !== '' && <CodeBox text={dmarc.raw} label="DMARC record" />}
        <Findings errors={dmarc.validation_errors} />
      </Part>
    </>
  );
}

function dkimState({ report: { dkim } }: DomainCheck): 'valid' | 'invalid' | 'missing' {
  if (!dkim.some(({ found }) => found)) return 'missing';
  return dkim.some(({ is_valid }) => is_valid) ? 'valid' : 'invalid';
}
