/** The records of a domain, part by part, and the checks that are made on request. */
import type { DomainCheck, MxHost } from '@whence/server/dashboard-wire/domains';
import type { IncludableSection } from '@whence/server/vocabulary';
import { QuietButton } from '../components/Buttons.tsx';
import { CodeBlock, Copyable } from '../components/Copy.tsx';
import { AddressLink } from '../components/Links.tsx';
import { Empty, Notice } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { count } from '../format/number.ts';
import { CheckSection, type CheckState, checkState, Findings } from './CheckSection.tsx';
import { DkimKeys, Selectors } from './Dkim.tsx';
import { dmarcInWords } from './dmarc-words.ts';
import { MailNetworks } from './MailNetworks.tsx';
import classes from './Records.module.css';
import { SpfRecord, SpfTree } from './Spf.tsx';
import { Smtp, Transport } from './Transport.tsx';

type RecordsProps = {
  check: DomainCheck;
  selectors: string;
  onSelectors: (text: string) => void;
};

export function Records({ check, selectors, onSelectors }: RecordsProps) {
  const merged = check.advice.find(({ code }) => code === 'spf_merge')?.record;
  const {
    report,
    parts,
    mx_hosts,
    spf_records,
    spf_tree,
    spf_void_lookups,
    is_dkim_wildcard,
    is_dmarc_test_mode,
  } = check;
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
        <DkimSelectors part={parts.dkim} keys={dkim} />
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
  {
    name: 'Provider',
    cell: ({ provider }) => provider ?? <span className="quiet">own or unknown</span>,
  },
];

function DkimSelectors({
  part: { state, words },
  keys,
}: {
  part: DomainCheck['parts']['dkim'];
  keys: DomainCheck['report']['dkim'];
}) {
  if (state === 'unverified' || state === 'not applicable') return <p>DKIM: {words}.</p>;
  if (keys.length > 0) return <DkimKeys keys={keys} />;
  return (
    <Empty title="No key was found under the common selectors">
      <p>
        The domain may use another selector: look for s= in the DKIM-Signature header of a message.
      </p>
    </Empty>
  );
}

type FurtherChecksProps = {
  check: DomainCheck;
  included: readonly IncludableSection[];
  onChange: (next: { include: string }) => void;
};

/** Checks that take longer, and are made on request. */
export function FurtherChecks({
  check: { sections, report },
  included,
  onChange,
}: FurtherChecksProps) {
  const others = sections.filter((name) => !included.includes(name));
  return (
    <>
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

const INCLUDE_WORDS: Record<IncludableSection, string> = {
  transport: 'Check transport security',
  networks: 'Show networks',
  smtp: 'Connect to the MX hosts',
};
