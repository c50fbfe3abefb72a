import type { TransportRecommendation, TransportReport } from '@whence/client/wire';
import { CodeBlock } from '../components/Copy.tsx';
import { Facts } from '../components/Facts.tsx';
import { duration } from '../format/time.ts';
import { CheckSection, Findings, Remarks } from './CheckSection.tsx';
import classes from './DomainPage.module.css';
import { type TransportPart, transportState } from './transport-state.ts';

/** Transport security of the domain's mail, which does not affect the score. All of it is optional. */
export function Transport({ report: { mta_sts, tls_rpt, dane, bimi, dnssec } }: { report: TransportReport }) {
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
    <div key={text}>
      <p>{text}</p>
      {file !== '' && <CodeBlock text={file} label={file_url} />}
      {record !== '' && <CodeBlock text={record} label="record to publish" />}
    </div>
  ));
}
