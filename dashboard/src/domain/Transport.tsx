import type {
  SmtpReport,
  SmtpServer,
  TransportRecommendation,
  TransportReport,
} from '@whence/client/wire';
import { CodeBlock } from '../components/Copy.tsx';
import { Facts } from '../components/Facts.tsx';
import { duration } from '../format/time.ts';
import { CheckSection, Findings, Remarks } from './CheckSection.tsx';
import classes from './Records.module.css';
import { type TransportPart, transportState } from './transport-state.ts';

/**
 * Transport security of the domain's mail, which does not affect the score. All of it is optional.
 */
export function Transport({
  report: { mta_sts, tls_rpt, dane, bimi, dnssec },
}: {
  report: TransportReport;
}) {
  const sts = transportState(mta_sts);
  return (
    <>
      <CheckSection
        id="mta-sts"
        title="MTA-STS"
        state={sts === 'valid' && mta_sts.mode !== 'enforce' ? 'ineffective' : sts}
      >
        {mta_sts.raw !== '' && <CodeBlock text={mta_sts.raw} label="MTA-STS record" />}
        {mta_sts.policy_found && (
          <Facts
            facts={{
              Mode: MODES[mta_sts.mode],
              'Cached for': duration(mta_sts.max_age),
              Hosts: mta_sts.mx.join(', '),
            }}
          />
        )}
        <Errors part={mta_sts} />
        <Recommendations list={mta_sts.recommendations} />
      </CheckSection>
      <CheckSection id="tls-rpt" title="TLS reports" state={transportState(tls_rpt)}>
        {tls_rpt.raw !== '' && <CodeBlock text={tls_rpt.raw} label="TLS-RPT record" />}
        <Errors part={tls_rpt} />
        <Recommendations list={tls_rpt.recommendations} />
      </CheckSection>
      <CheckSection id="dane" title="DANE" state={transportState(dane)}>
        <ul className={classes['words']}>
          {dane.hosts.map(({ host, records, is_authenticated }) => (
            <li key={host}>
              <span className="mono">{host}</span>:{' '}
              {records.length === 0
                ? 'no TLSA record'
                : `${records.join('; ')}${is_authenticated ? '' : ', not authenticated by DNSSEC'}`}
            </li>
          ))}
        </ul>
        {/* Without any record, the list above says it already. */}
        {transportState(dane) !== 'not set up' && <Errors part={dane} />}
      </CheckSection>
      <CheckSection id="dnssec" title="DNSSEC" state={transportState(dnssec)}>
        {dnssec.is_authenticated && <p>The resolver validated the answers.</p>}
        <Errors part={dnssec} />
      </CheckSection>
      <CheckSection id="bimi" title="BIMI" state={transportState(bimi)}>
        {bimi.raw !== '' && <CodeBlock text={bimi.raw} label="BIMI record" />}
        <Errors part={bimi} />
      </CheckSection>
    </>
  );
}

const MODES: Readonly<Record<TransportReport['mta_sts']['mode'], string>> = {
  enforce: 'enforce',
  testing: 'testing: failures are reported, mail is delivered anyway',
  none: 'none: the policy is withdrawn',
  '': 'unknown',
};

function Errors({ part }: { part: TransportPart }) {
  const state = transportState(part);
  if (state === 'not set up' || state === 'not applicable' || state === 'unverified')
    return <Remarks errors={part.validation_errors} />;
  return <Findings errors={part.validation_errors} />;
}

function Recommendations({ list }: { list: readonly TransportRecommendation[] }) {
  return list.map(({ text, record, file_url, file }) => (
    <div key={text} className={classes['advice']}>
      <p>{text}</p>
      {file !== '' && <CodeBlock text={file} label={file_url} />}
      {record !== '' && <CodeBlock text={record} label="record to publish" />}
    </div>
  ));
}

export function Smtp({ report }: { report: SmtpReport }) {
  const { servers, unprobed, is_blocked, is_valid, validation_errors } = report;
  const judgedState = is_valid ? 'valid' : 'invalid';
  return (
    <CheckSection
      id="smtp"
      title="MX hosts on port 25"
      state={is_blocked ? 'unverified' : judgedState}
    >
      <Remarks errors={validation_errors} />
      {servers.map((server) => (
        <div key={server.address}>
          <h3>
            <span className="mono">{server.host}</span>{' '}
            <span className="quiet mono">{server.address}</span>
          </h3>
          <Facts facts={factsOf(server)} />
          <Findings errors={server.validation_errors} />
        </div>
      ))}
      {unprobed.length > 0 && <p className="quiet">Not connected to: {unprobed.join(', ')}.</p>}
    </CheckSection>
  );
}

function factsOf(server: SmtpServer): Record<string, string | undefined> {
  const {
    banner_name,
    banner_addresses,
    reverse_name,
    is_reverse_confirmed,
    address,
    certificate,
  } = server;
  const { valid_to, issuer, names } = certificate;
  const named = (name: string, isConfirmed: boolean, note: string) =>
    isConfirmed ? name : `${name}, ${note}`;
  const isGreeting = banner_addresses.includes(address);
  return {
    TLS: server.tls_version || (server.has_starttls ? 'failed' : 'not offered'),
    Certificate: valid_to
      ? `${names.join(', ')}; until ${valid_to.slice(0, 10)}, from ${issuer}`
      : undefined,
    DANE: WORDS[server.dane],
    'MTA-STS': WORDS[server.mta_sts],
    'Greets as': banner_name
      ? named(banner_name, isGreeting, 'which does not have this address')
      : undefined,
    'Reverse name': reverse_name
      ? named(reverse_name, is_reverse_confirmed, 'which does not resolve to this address')
      : 'none',
  };
}

const WORDS = {
  match: 'the certificate matches',
  mismatch: 'the certificate does not match',
  '': undefined,
} as const;
