import type { TransportRecommendation, TransportReport } from '@whence/client/wire';
import { CodeBlock } from '../components/Copy.tsx';
import { Facts } from '../components/Facts.tsx';
import { duration } from '../format/time.ts';
import { CheckSection, type CheckState, Findings } from './CheckSection.tsx';
import classes from './DomainPage.module.css';

/** Transport security of the domain's mail, which does not affect the score. */
export function Transport({ report: { mta_sts, tls_rpt, dane, bimi, dnssec } }: { report: TransportReport }) {
  return (
    <>
      <CheckSection id="mta-sts" title="MTA-STS" state={stateOf(mta_sts.found, mta_sts)}>
        {mta_sts.raw !== '' && <CodeBlock text={mta_sts.raw} label="MTA-STS record" />}
        {mta_sts.policy_found && (
          <Facts
            facts={[
              { name: 'Mode', value: mta_sts.mode },
              { name: 'Cached for', value: duration(mta_sts.max_age) },
              { name: 'Hosts', value: mta_sts.mx.join(', ') },
            ]}
          />
        )}
        <Findings errors={mta_sts.validation_errors} />
        <Recommendations list={mta_sts.recommendations} />
      </CheckSection>
      <CheckSection id="tls-rpt" title="TLS reports" state={stateOf(tls_rpt.found, tls_rpt)}>
        {tls_rpt.raw !== '' && <CodeBlock text={tls_rpt.raw} label="TLS-RPT record" />}
        <Findings errors={tls_rpt.validation_errors} />
        <Recommendations list={tls_rpt.recommendations} />
      </CheckSection>
      <CheckSection
        id="dane"
        title="DANE"
        state={stateOf(
          dane.hosts.some(({ records }) => records.length > 0),
          dane,
        )}
      >
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
        <Findings errors={dane.validation_errors} />
      </CheckSection>
      <CheckSection id="dnssec" title="DNSSEC" state={stateOf(dnssec.is_authenticated, dnssec)}>
        {dnssec.is_authenticated && <p>The resolver validated the answers.</p>}
        <Findings errors={dnssec.validation_errors} />
      </CheckSection>
      <CheckSection id="bimi" title="BIMI" state={stateOf(bimi.found, bimi)}>
        {bimi.raw !== '' && <CodeBlock text={bimi.raw} label="BIMI record" />}
        <Findings errors={bimi.validation_errors} />
      </CheckSection>
    </>
  );
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

/** Errors with these codes are questions that DNS did not answer. */
const FAILURES = /^(?:dns_temporary_failure|dns_budget_exhausted|alias_too_long):/;

function stateOf(isFound: boolean, part: { is_valid: boolean; validation_errors: string[] }): CheckState {
  if (part.validation_errors.some((error) => FAILURES.test(error))) return 'unverified';
  if (part.validation_errors.some((error) => error.startsWith('no_mail_host:'))) return 'not applicable';
  if (!isFound) return 'missing';
  return part.is_valid ? 'valid' : 'invalid';
}
