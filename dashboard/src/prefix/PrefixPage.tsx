import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { PrefixSummary } from '@whence/server/dashboard-wire';
import { answerQuery } from '../api/query-client.ts';
import { understand } from '../box/understand.ts';
import { Copyable } from '../copy/Copyable.tsx';
import { countryName } from '../format/country.ts';
import { formatNumber, formatShare } from '../format/number.ts';
import { Columns } from '../parts/Columns.tsx';
import { Credits } from '../parts/Credits.tsx';
import { FLAG_WORDS } from '../parts/flag-words.ts';
import { Level } from '../parts/Level.tsx';
import { Page } from '../parts/Page.tsx';
import { PrintButton } from '../parts/PrintButton.tsx';
import { Section } from '../parts/Section.tsx';
import { Shares } from '../parts/Shares.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { Notice } from '../states/Notice.tsx';
import { PartsMap } from './PartsMap.tsx';
import { PartsTable } from './PartsTable.tsx';

const route = getRouteApi('/gate/prefix/$');

export function PrefixPage() {
  const { _splat: text = '' } = route.useParams();
  const { meanings, problem } = understand(text);
  const prefix = meanings.find(({ kind }) => kind === 'prefix')?.value;
  if (typeof prefix !== 'string') {
    return (
      <Page name="Prefix" title={`${text} is not a prefix`}>
        <Notice tone="warn" title={problem ?? 'Write a prefix as an address, a slash and a length'}>
          <p>For example 192.0.2.0/24 or 2001:db8::/32.</p>
        </Notice>
      </Page>
    );
  }
  return <PrefixSummaryPage prefix={prefix} />;
}

function PrefixSummaryPage({ prefix }: { prefix: string }) {
  const [address = '', length = ''] = prefix.split('/');
  const summary = useQuery(answerQuery('lookUpPrefix', { params: { address, length } }));
  return (
    <Page
      name={prefix}
      title={<Copyable text={prefix} isMono />}
      lead={summary.data !== undefined && <PrefixLead summary={summary.data.data} />}
      actions={<PrintButton />}
    >
      <Loaded query={summary} lines={12}>
        {({ data }) => (
          <>
            <WhyNothing summary={data} />
            {data.parts.length > 0 && (
              <>
                <Section
                  title="What is in it"
                  note={
                    data.is_truncated ? 'The first 256 parts; ask for a smaller prefix to see the others.' : undefined
                  }
                >
                  <PartsMap parts={data.parts} prefix={prefix} />
                  <PartsTable parts={data.parts} />
                </Section>
                <PrefixShares summary={data} />
              </>
            )}
            <Credits credits={data.credits} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const UNITS = { addresses: 'addresses', slash64s: 'networks of /64' } as const;

function PrefixLead({ summary }: { summary: PrefixSummary }) {
  const { size, announced, unit, covered_by } = summary;
  return (
    <p>
      {formatNumber(size)} {UNITS[unit]}, {formatShare(announced, size)} of them announced.
      {covered_by !== undefined && (
        <>
          {' '}
          All of it is inside{' '}
          <Link to="/prefix/$" params={{ _splat: covered_by.prefix }} className="mono">
            {covered_by.prefix}
          </Link>{' '}
          of{' '}
          <Link to="/asn/$asn" params={{ asn: String(covered_by.asn) }}>
            AS{covered_by.asn}
          </Link>{' '}
          {covered_by.asn_name}.
        </>
      )}
    </p>
  );
}

/** A special-purpose range with its RFC, or a prefix that no network announces. */
function WhyNothing({ summary: { announced, special_purpose } }: { summary: PrefixSummary }) {
  return (
    <>
      {special_purpose !== undefined && (
        <Notice title={`${special_purpose.prefix} is not on the public internet`}>
          <p>
            {special_purpose.name} ({special_purpose.rfc}).
          </p>
        </Notice>
      )}
      {announced === 0 && special_purpose === undefined && (
        <Notice title="No network announces any of it">
          <p>
            It is unassigned or unused, or announced only since the dataset was built.{' '}
            <Link to="/data">Age of the data</Link>
          </p>
        </Notice>
      )}
    </>
  );
}

function PrefixShares({ summary }: { summary: PrefixSummary }) {
  const { size, connection_types, flags, threat_levels, countries, networks } = summary;
  return (
    <Columns isNarrow>
      <Section title="Networks">
        <Shares
          total={size}
          items={networks.map(({ asn, asn_name, addresses }) => ({
            key: String(asn),
            amount: addresses,
            name: (
              <>
                <Link to="/asn/$asn" params={{ asn: String(asn) }}>
                  AS{asn}
                </Link>{' '}
                {asn_name}
              </>
            ),
          }))}
        />
      </Section>
      <Section title="Connection types">
        <Shares
          total={size}
          items={connection_types.map(({ value, addresses }) => ({ key: value, name: value, amount: addresses }))}
        />
      </Section>
      <Section title="Countries">
        <Shares
          total={size}
          items={countries.map(({ value, addresses }) => ({ key: value, name: countryName(value), amount: addresses }))}
        />
      </Section>
      <Section title="Threat">
        <Shares
          total={size}
          items={threat_levels.map(({ value, addresses }) => ({
            key: value,
            name: <Level level={value} />,
            amount: addresses,
          }))}
        />
      </Section>
      {flags.length > 0 && (
        <Section title="Flags">
          <Shares
            total={size}
            items={flags.map(({ value, addresses }) => ({ key: value, name: FLAG_WORDS[value], amount: addresses }))}
          />
        </Section>
      )}
    </Columns>
  );
}
