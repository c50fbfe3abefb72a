import {
  IconAlertTriangle,
  IconAntenna,
  IconArrowsExchange,
  IconBriefcase,
  IconCloud,
  IconHome2,
  IconMask,
  IconRobot,
  IconSchool,
  IconServer2,
  IconShieldLock,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ConnectionType, IpRecord, Routing } from '@whence/client/wire';
import { type Failure, isFailure } from '../api/call.ts';
import { answerQuery } from '../api/query-client.ts';
import { CodeTabs, Copyable, requestTabs } from '../components/Copy.tsx';
import { LeadSkeleton, Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Columns, Credits, Page, PrintButton, Section } from '../components/Page.tsx';
import { Tag, Tags } from '../components/Tag.tsx';
import { useNow } from '../format/Time.tsx';
import { useRoleIfAny } from '../session/use-session.ts';
import { HistorySection } from './History.tsx';
import { HostnameValue } from './Hostname.tsx';
import classes from './IpPage.module.css';
import { EvidenceTable, IpFacts, ThreatBar, Unknowns } from './IpSections.tsx';
import { type Askable, type AskProps, parseAsked } from './on-request.ts';
import { RegistrationOff, RegistrationSection } from './Registration.tsx';
import { RoutingSection } from './Routing.tsx';
import { verdict } from './verdict.ts';

const route = getRouteApi('/session/ip/$ip');

export function IpPage() {
  const { ip } = route.useParams();
  const { include = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const role = useRoleIfAny();
  const now = useNow();
  const asked = parseAsked(include);
  /** What an asked section needs, which stays in the address bar. */
  const askFor = (name: Askable): AskProps => ({
    ip,
    isAsked: asked.includes(name),
    onAsk: () =>
      void navigate({
        search: (before) => ({ ...before, include: [...asked, name].join() }),
        replace: true,
        resetScroll: false,
      }),
  });
  const lookup = useQuery(answerQuery('lookUpIp', { params: { ip } }));
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
        answer === undefined ? (
          lookup.error === null && <LeadSkeleton />
        ) : (
          <div className={classes['answer']}>
            <p className={classes['verdict']}>{verdict(answer.record, answer.evidence, answer.limits, now)}</p>
            <DetectionTags record={answer.record} routing={answer.routing} />
          </div>
        )
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
                    hostname={<HostnameValue key={ip} {...askFor('hostname')} />}
                  />
                </Section>
                <div className={classes['side']}>
                  <Section title="Threat">
                    <ThreatBar threat={data.record.threat} evidence={data.evidence} limits={data.limits} />
                  </Section>
                  <RoutingSection lookup={data} />
                  {data.has_registration && <RegistrationSection key={ip} {...askFor('registration')} />}
                  {!data.has_registration && role === 'admin' && <RegistrationOff />}
                </div>
              </Columns>
              {role !== undefined && <HistorySection key={ip} ip={ip} />}
              <Section
                title="Evidence"
                note="The source of each field, for which prefix, and how old it is. Statements that lost are struck through."
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

const CONNECTION_ICONS: Readonly<Record<ConnectionType, TablerIcon>> = {
  residential: IconHome2,
  datacenter: IconServer2,
  mobile: IconAntenna,
  business: IconBriefcase,
  education: IconSchool,
};

/** The type and the flags of the address, each as icon and word. */
function DetectionTags({ record, routing }: { record: IpRecord; routing: Routing }) {
  const { asn, connection_type, detection } = record;
  const isRpkiInvalid = routing.origins.some((origin) => origin.asn === asn && origin.rpki === 'invalid');
  return (
    <Tags>
      <Tag icon={CONNECTION_ICONS[connection_type]}>{connection_type}</Tag>
      {detection.is_tor_exit && (
        <Tag icon={IconMask} tone="bad">
          Tor exit
        </Tag>
      )}
      {detection.is_vpn && (
        <Tag icon={IconShieldLock} tone="warn">
          VPN
        </Tag>
      )}
      {detection.is_proxy && (
        <Tag icon={IconArrowsExchange} tone="warn">
          proxy
        </Tag>
      )}
      {detection.ai_company !== undefined && (
        <Tag icon={IconRobot} tone="accent">
          AI crawler: {detection.ai_company}
        </Tag>
      )}
      {detection.cloud_provider !== undefined && <Tag icon={IconCloud}>{detection.cloud_provider}</Tag>}
      {isRpkiInvalid && (
        <Tag icon={IconAlertTriangle} tone="bad">
          RPKI invalid
        </Tag>
      )}
    </Tags>
  );
}

/** Why there is no record: a special-purpose range with its RFC, an unannounced address, or an invalid one. */
function NoDataForIp({ ip, failure }: { ip: string; failure: Failure }) {
  if (failure.code === 'INVALID_IP') {
    return (
      <Notice tone="warn" title={`${ip} is not an IP address`}>
        <p>Write an IPv4 address such as 192.0.2.1, or an IPv6 address such as 2001:db8::1.</p>
      </Notice>
    );
  }
  const { prefix, name, rfc } = failure.details;
  if (typeof prefix === 'string' && typeof name === 'string') {
    return (
      <Notice title={`${ip} is not on the public internet`}>
        <p>
          It is in <span className="mono">{prefix}</span>: {name}
          {typeof rfc === 'string' ? ` (${rfc})` : ''}. No network announces it, so there is no data about it.
        </p>
      </Notice>
    );
  }
  return (
    <Notice title={`No network announces ${ip}`}>
      <p>
        This dataset has no route to it: the address is unassigned, unused, or was first announced after the dataset was
        built. See the <Link to="/data">age of the data</Link>.
      </p>
    </Notice>
  );
}
