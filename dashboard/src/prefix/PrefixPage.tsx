import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { PrefixSummary } from '@whence/server/dashboard-wire';
import { answerQuery } from '../api/query-client.ts';
import { Shares } from '../components/Bars.tsx';
import { Copyable } from '../components/Copy.tsx';
import { NetworkLink, PrefixLink } from '../components/Links.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Columns, Credits, Page, PrintButton, Section } from '../components/Page.tsx';
import { Level } from '../components/Tag.tsx';
import { countryName, FLAG_WORDS } from '../format/names.ts';
import { formatNumber, formatShare } from '../format/number.ts';
import { interpret } from '../lookup/interpret.ts';
import { PrefixSpaceMap } from '../maps/SpaceMaps.tsx';
import { PartsMap, PartsTable } from './PrefixParts.tsx';

const route = getRouteApi('/session/prefix/$');

export function PrefixPage() {
  const { _splat: text = '' } = route.useParams();
  const { targets, problem } = interpret(text);
  const prefix = targets.find(({ kind }) => kind === 'prefix')?.value;
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
            <NothingAnnounced summary={data} />
            {data.parts.length > 0 && (
              <>
                <Section
                  title="Contents"
                  note={
                    data.is_truncated
                      ? 'Showing the first 256 parts. Look up a smaller prefix to see the others.'
                      : undefined
                  }
                >
                  <PartsMap parts={data.parts} prefix={prefix} />
                  <PartsTable parts={data.parts} />
                </Section>
                <PrefixShares summary={data} />
                {hasMap(data) && <PrefixSpaceMap prefix={prefix} />}
              </>
            )}
            <Credits credits={data.credits} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** A prefix that looks the same everywhere needs no map, and one of a few addresses has the table. */
function hasMap({ parts, size }: PrefixSummary): boolean {
  return size >= 16 && parts.length > 1;
}

const UNITS = { addresses: 'addresses', slash64s: '/64 networks' } as const;

function PrefixLead({ summary }: { summary: PrefixSummary }) {
  const { size, announced, unit, covered_by } = summary;
  return (
    <p>
      {formatNumber(size)} {UNITS[unit]}, {formatShare(announced, size)} of them announced.
      {covered_by !== undefined && (
        <>
          {' '}
          It is inside <PrefixLink prefix={covered_by.prefix} /> of{' '}
          <NetworkLink asn={covered_by.asn} name={covered_by.asn_name} />.
        </>
      )}
    </p>
  );
}

/** Why there is no data: a special-purpose range with its RFC, or an unannounced prefix. */
function NothingAnnounced({ summary: { announced, special_purpose } }: { summary: PrefixSummary }) {
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
        <Notice title="No network announces this prefix">
          <p>
            It is unassigned, unused, or was first announced after the dataset was built.{' '}
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
            name: <NetworkLink asn={asn} name={asn_name} />,
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
