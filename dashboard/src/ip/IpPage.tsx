import { getRouteApi } from '@tanstack/react-router';
import type { ConnectionType, IpRecord, Routing } from '@whence/client/wire';
import { type Failure, isFailure } from '../api/call.ts';
import { useAnswer } from '../api/query-client.ts';
import { CodeTabs, requestTabs } from '../components/CodeTabs.tsx';
import { Copyable } from '../components/Copy.tsx';
import type { IconName } from '../components/icons.tsx';
import { Loaded, LoadedLead } from '../components/Loaded.tsx';
import { NoData } from '../components/NoData.tsx';
import { Notice } from '../components/Notice.tsx';
import { Columns, Credits, Page, PrintButton, Section, Verdict } from '../components/Page.tsx';
import { Tag, Tags } from '../components/Tag.tsx';
import { FetchLists } from '../data/FetchLists.tsx';
import { useNow } from '../format/Time.tsx';
import { IN_PLACE } from '../search-params.ts';
import { useRoleIfAny } from '../session/use-session.ts';
import { HistorySection } from './History.tsx';
import { HostnameValue } from './HostnameValue.tsx';
import classes from './IpPage.module.css';
import { EvidenceTable, IpFacts, RoutingSection, ThreatBar, Unknowns } from './IpSections.tsx';
import { verdict } from './verdict.ts';

const route = getRouteApi('/session/ip/$ip');

export function IpPage() {
  const { ip } = route.useParams();
  const { include = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const role = useRoleIfAny();
  const now = useNow();
  const askForHostname = () =>
    void navigate({ search: (before) => ({ ...before, include: 'hostname' }), ...IN_PLACE });
  const lookup = useAnswer('lookUpIp', { params: { ip } });
  return (
    <Page
      name={ip}
      title={
        <span className={classes['address']}>
          <Copyable text={ip} />
        </span>
      }
      lead={
        <LoadedLead query={lookup}>
          {({ data: { record, evidence, limits, routing } }) => (
            <div className={classes['answer']}>
              <Verdict text={verdict(record, evidence, limits, now)} />
              <DetectionTags record={record} routing={routing} />
            </div>
          )}
        </LoadedLead>
      }
      actions={<PrintButton />}
    >
      {isFailure(lookup.error, 'NOT_FOUND', 'INVALID_IP') ? (
        <NoDataForIp ip={ip} failure={lookup.error} />
      ) : (
        <Loaded query={lookup} shape={[['facts', 'bars'], ['table']]}>
          {({ data, meta }) => (
            <>
              <Columns>
                <Section title="Facts">
                  <IpFacts
                    lookup={data}
                    version={Number(meta['dataset_version'])}
                    hostname={
                      <HostnameValue
                        key={ip}
                        ip={ip}
                        isAsked={include === 'hostname'}
                        onAsk={askForHostname}
                      />
                    }
                  />
                </Section>
                <div className={classes['side']}>
                  <Section title="Threat">
                    <ThreatBar
                      threat={data.record.threat}
                      evidence={data.evidence}
                      limits={data.limits}
                    />
                    <FetchLists
                      gap={data.limits.threat_gap}
                      hasScore={data.record.threat.score > 0}
                    />
                  </Section>
                  <RoutingSection lookup={data} />
                </div>
              </Columns>
              {role !== undefined && <HistorySection key={ip} ip={ip} />}
              <Section
                title="Evidence"
                note="The source of each field, for which prefix, and how old it is. Overruled values are struck through."
              >
                <EvidenceTable record={data.record} evidence={data.evidence} />
              </Section>
              <Unknowns limits={data.limits} />
              <CodeTabs tabs={requestTabs(data.record, `/v1/ip/${ip}`, `ip('${ip}')`)} />
              <Credits credits={data.credits} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

const CONNECTION_ICONS: Readonly<Record<ConnectionType, IconName>> = {
  residential: 'home',
  datacenter: 'server-2',
  mobile: 'antenna',
  business: 'briefcase',
  education: 'school',
};

/** The type and the flags of the address, each as icon and word. */
function DetectionTags({ record, routing }: { record: IpRecord; routing: Routing }) {
  const { asn, connection_type, detection } = record;
  const isRpkiInvalid = routing.origins.some(
    (origin) => origin.asn === asn && origin.rpki === 'invalid',
  );
  return (
    <Tags>
      <Tag icon={CONNECTION_ICONS[connection_type]} text={connection_type} />
      {detection.is_tor_exit && <Tag icon="mask" tone="bad" text="Tor exit" />}
      {detection.is_vpn && <Tag icon="shield-lock" tone="warn" text="VPN" />}
      {detection.is_proxy && <Tag icon="arrows-exchange" tone="warn" text="proxy" />}
      {detection.ai_company !== undefined && (
        <Tag icon="robot" tone="accent" text={`AI crawler: ${detection.ai_company}`} />
      )}
      {detection.cloud_provider !== undefined && (
        <Tag icon="cloud" text={detection.cloud_provider} />
      )}
      {isRpkiInvalid && <Tag icon="alert-triangle" tone="bad" text="RPKI invalid" />}
    </Tags>
  );
}

/**
 * Why there is no record: a special-purpose range with its RFC, an unannounced address, or an
 * invalid one.
 */
function NoDataForIp({ ip, failure }: { ip: string; failure: Failure }) {
  if (failure.code === 'INVALID_IP') {
    return (
      <Notice tone="warn" title={`${ip} is not an IP address`}>
        <p>Write an IPv4 address such as 192.0.2.1, or an IPv6 address such as 2001:db8::1.</p>
      </Notice>
    );
  }
  const { prefix, name, rfc } = failure.details as Readonly<Record<string, string | undefined>>;
  const isSpecial = prefix !== undefined && name !== undefined;
  return (
    <NoData subject={ip} special={isSpecial ? { prefix, name, ...(rfc && { rfc }) } : undefined} />
  );
}
