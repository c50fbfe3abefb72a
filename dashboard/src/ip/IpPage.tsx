import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { isFailure } from '../api/failure.ts';
import { answerQuery } from '../api/query-client.ts';
import { Copyable } from '../copy/Copyable.tsx';
import { CodeTabs, requestTabs } from '../parts/CodeTabs.tsx';
import { Columns } from '../parts/Columns.tsx';
import { Credits } from '../parts/Credits.tsx';
import { Page } from '../parts/Page.tsx';
import { PrintButton } from '../parts/PrintButton.tsx';
import { Section } from '../parts/Section.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { DetectionTags } from './DetectionTags.tsx';
import { EvidenceTable } from './EvidenceTable.tsx';
import { IpFacts } from './IpFacts.tsx';
import classes from './IpPage.module.css';
import { NoDataForIp } from './NoDataForIp.tsx';
import { ThreatBar } from './ThreatBar.tsx';
import { Unknowns } from './Unknowns.tsx';
import { verdict } from './verdict.ts';

const route = getRouteApi('/gate/ip/$ip');

export function IpPage() {
  const { ip } = route.useParams();
  const lookup = useQuery({ ...answerQuery('lookUpIp', { params: { ip } }), placeholderData: keepPreviousData });
  const answer = lookup.data?.data;
  return (
    <Page
      name={ip}
      title={
        <span className={classes['address']}>
          <Copyable text={ip} />
        </span>
      }
      lead={
        answer !== undefined &&
        lookup.error === null && (
          <div className={classes['answer']} aria-busy={lookup.isPlaceholderData}>
            <p className={classes['verdict']}>{verdict(answer.record, answer.evidence, answer.limits)}</p>
            <DetectionTags record={answer.record} />
          </div>
        )
      }
      actions={<PrintButton />}
    >
      {isFailure(lookup.error, 'NOT_FOUND', 'INVALID_IP') ? (
        <NoDataForIp ip={ip} failure={lookup.error} />
      ) : (
        <Loaded query={lookup} lines={12}>
          {({ data, meta }) => (
            <>
              <Columns>
                <Section title="Threat">
                  <ThreatBar
                    threat={data.record.threat}
                    evidence={data.evidence}
                    hasBlocklists={!data.limits.unknown.includes('blocklists')}
                  />
                  <Unknowns limits={data.limits} />
                </Section>
                <Section title="Facts">
                  <IpFacts record={data.record} version={Number(meta['dataset_version'])} />
                </Section>
              </Columns>
              <Section title="Evidence" note="Which source decided each field, for which prefix, and how old it is.">
                <EvidenceTable evidence={data.evidence} />
              </Section>
              <CodeTabs tabs={requestTabs(data.record, `/v1/ip/${ip}`, `ip('${ip}')`)} />
              <Credits credits={data.credits} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}
