import type { TransportReport } from '@whence/client/wire';
import { CodeBox } from '../copy/CodeBox.tsx';
import { duration } from '../format/time.ts';
import { Facts } from '../parts/Facts.tsx';
import classes from './DomainPage.module.css';
import { Findings } from './Findings.tsx';
import { Part } from './Part.tsx';

type State = 'valid' | 'invalid' | 'missing';

/** What protects the domain's mail on its way; none of it counts for the score. */
export function Transport({ report: { mta_sts, tls_rpt, dane, bimi, dnssec } }: { report: TransportReport }) {
  return (
    <>
      <Part id="mta-sts" title="MTA-STS" state={stateOf(mta_sts.found, mta_sts.is_valid)}>
        {mta_sts.raw !== '' && <CodeBox text={mta_sts.raw} label="MTA-STS record" />}
        {mta_sts.policy_found && (
          <Facts
            facts={[
              { name: 'Mode', value: mta_sts.mode },
              { name: 'Kept for', value: duration(mta_sts.max_age) },
              { name: 'Hosts', value: mta_sts.mx.join(', ') },
            ]}
          />
        )}
        <Findings errors={mta_sts.validation_errors} />
      </Part>
      <Part id="tls-rpt" title="TLS reports" state={stateOf(tls_rpt.found, tls_rpt.is_valid)}>
        {tls_rpt.raw !== '' && <CodeBox text={tls_rpt.raw} label="TLS-RPT record" />}
        <Findings errors={tls_rpt.validation_errors} />
      </Part>
      <Part
        id="dane"
        title="DANE"
        state={stateOf(
          dane.hosts.some(({ records }) => records.length > 0),
          dane.is_valid,
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
      </Part>
      <Part id="dnssec" title="DNSSEC" state={stateOf(dnssec.is_authenticated, dnssec.is_valid)}>
        {dnssec.is_authenticated && <p>The resolver authenticated the answers.</p>}
        <Findings errors={dnssec.validation_errors} />
      </Part>
      <Part id="bimi" title="BIMI" state={stateOf(bimi.found, bimi.is_valid)}>
        {bimi.raw !== '' && <CodeBox text={bimi.raw} label="BIMI record" />}
        <Findings errors={bimi.validation_errors} />
      </Part>
    </>
  );
}

function stateOf(isFound: boolean, isValid: boolean): State {
  if (!isFound) return 'missing';
  return isValid ? 'valid' : 'invalid';
}
