import { getRouteApi } from '@tanstack/react-router';
import type { PrefixPart, PrefixSummary } from '@whence/server/dashboard-wire/lookups';
import { useAnswer } from '../api/query-client.ts';
import { Shares, sharesOf } from '../components/Bars.tsx';
import { Copyable } from '../components/Copy.tsx';
import { AddressLink, NetworkLink, PrefixLink } from '../components/Links.tsx';
import { Loaded, LoadedLead } from '../components/Loaded.tsx';
import { NoData } from '../components/NoData.tsx';
import { Notice } from '../components/Notice.tsx';
import { Columns, Credits, Page, PrintButton, Section, Verdict } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Level, RpkiTag } from '../components/Tag.tsx';
import { FetchLists } from '../data/FetchLists.tsx';
import { blocklistCaveat } from '../format/blocklists.ts';
import { countryName, FLAG_WORDS } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';
import { Time, useNow } from '../format/Time.tsx';
import { interpret } from '../interpret.ts';
import { inOrder, prefixOf } from './position.ts';
import { prefixVerdict } from './prefix-verdict.ts';

const route = getRouteApi('/session/prefix/$');

export function PrefixPage() {
  const { _splat: text = '' } = route.useParams();
  const { targets, problem } = interpret(text);
  const prefix = targets.find(({ kind }) => kind === 'prefix')?.value;
  if (prefix === undefined) {
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
  const summary = useAnswer('lookUpPrefix', { params: { address, length } });
  return (
    <Page
      name={prefix}
      title={<Copyable text={prefix} isMono />}
      lead={<LoadedLead query={summary}>{({ data }) => <PrefixLead summary={data} />}</LoadedLead>}
      actions={<PrintButton />}
    >
      <Loaded query={summary} shape={[['bars', 'facts'], ['table']]}>
        {({ data }) => (
          <>
            {(data.announced === 0 || data.special_purpose) && (
              <NoData
                subject={data.special_purpose?.prefix ?? prefix}
                special={data.special_purpose}
              />
            )}
            {data.parts.length > 0 && (
              <>
                <PrefixShares summary={data} />
                <Section
                  title={count(data.part_count, 'part')}
                  note={
                    data.part_count > data.parts.length
                      ? `Consecutive addresses with the same answer. Showing the ${formatNumber(data.parts.length)} largest: look up a smaller prefix to see the others.`
                      : 'Consecutive addresses with the same answer.'
                  }
                >
                  <Table
                    isStacked="compact"
                    label="Parts of the prefix"
                    columns={columnsFor(data)}
                    rows={data.part_count > data.parts.length ? data.parts : inOrder(data.parts)}
                    limit={SHOWN_PARTS}
                  />
                </Section>
              </>
            )}
            <Credits credits={data.credits} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function PrefixLead({ summary }: { summary: PrefixSummary }) {
  const now = useNow();
  const { prefix, covered_by, rpki_as_of } = summary;
  return (
    <>
      <Verdict text={prefixVerdict(summary, now)} />
      {covered_by !== undefined && (
        <p>
          {covered_by.prefix === prefix ? (
            'It belongs to '
          ) : (
            <>
              It is inside <PrefixLink prefix={covered_by.prefix} /> of{' '}
            </>
          )}
          <NetworkLink asn={covered_by.asn} name={covered_by.asn_name.replace(/\.$/, '')} />.
          {covered_by.rpki !== undefined && (
            <>
              {' '}
              RPKI: <RpkiTag state={covered_by.rpki} />
              {rpki_as_of !== undefined && (
                <span className="quiet">
                  {' '}
                  ROA data written <Time at={rpki_as_of} />
                </span>
              )}
            </>
          )}
        </p>
      )}
    </>
  );
}

/** Shares of the announced addresses. */
function PrefixShares({ summary }: { summary: PrefixSummary }) {
  const { announced, connection_types, flags, threat_levels, countries, networks, limits } =
    summary;
  const now = useNow();
  const isKnown = limits.threat_gap === undefined;
  const furtherFlags = flags.filter(
    ({ value }) => !connection_types.some((type) => value === `is_${type.value}`),
  );
  return (
    <Columns>
      <Section title="Networks">
        <Shares
          total={announced}
          items={[
            ...networks.map(({ asn, asn_name, addresses }) => ({
              key: String(asn),
              amount: addresses,
              name: <NetworkLink asn={asn} name={asn_name} />,
            })),
            ...rest(networks, announced),
          ]}
        />
      </Section>
      <Section title="Connection types">
        <Shares total={announced} items={sharesOf(connection_types)} />
      </Section>
      <Section title="Countries">
        <Shares
          total={announced}
          items={[...sharesOf(countries, countryName), ...rest(countries, announced)]}
        />
      </Section>
      <Section title="Threat" note={isKnown ? blocklistCaveat(limits, now) : undefined}>
        {hasLevels(summary) && (
          <Shares
            total={announced}
            items={sharesOf(threat_levels, (level) => <Level level={level} />)}
          />
        )}
        <FetchLists gap={limits.threat_gap} hasScore={hasLevels(summary)} />
      </Section>
      {furtherFlags.length > 0 && (
        <Section title="Further flags">
          <Shares total={announced} items={sharesOf(furtherFlags, (flag) => FLAG_WORDS[flag])} />
        </Section>
      )}
    </Columns>
  );
}

/** Otherwise no level of the prefix is known. */
const hasLevels = ({ threat_levels, parts }: PrefixSummary): boolean =>
  threat_levels.some(({ value }) => value !== 'unknown') || parts.some(({ score }) => score > 0);

/** The response has the fifty largest; the others are summed up, so that the shares add up. */
function rest(listed: readonly { addresses: number }[], total: number) {
  const amount = total - listed.reduce((sum, { addresses }) => sum + addresses, 0);
  return amount > 0 ? [{ key: 'others', name: 'all others', amount }] : [];
}

const columnsFor = (summary: PrefixSummary): Column<PrefixPart>[] => [
  { name: 'Addresses', cell: ({ first, last }) => <Addresses first={first} last={last} /> },
  { name: 'Network', cell: ({ asn, asn_name }) => <NetworkLink asn={asn} name={asn_name} /> },
  {
    name: 'Country',
    cell: ({ country }) => countryName(country),
  },
  { name: 'Type', cell: ({ connection_type }) => connection_type },
  ...(summary.parts.some((part) => flagWords(part) !== '') ? [FLAGS_COLUMN] : []),
  ...(summary.rpki_as_of === undefined ? [] : [RPKI_COLUMN]),
  ...(hasLevels(summary) ? [THREAT_COLUMN] : []),
];

const THREAT_COLUMN: Column<PrefixPart> = {
  name: 'Threat',
  cell: ({ level, score, threat_gap }) => (
    <Level level={level} score={score} isKnown={threat_gap === undefined} />
  ),
};

const flagWords = ({ flags, connection_type, scanner }: PrefixPart): string =>
  [
    ...flags.filter((flag) => flag !== `is_${connection_type}`).map((flag) => FLAG_WORDS[flag]),
    ...(scanner === undefined ? [] : [`scanner of ${scanner}`]),
  ].join(', ');

const FLAGS_COLUMN: Column<PrefixPart> = { name: 'Flags', cell: flagWords };

const RPKI_COLUMN: Column<PrefixPart> = {
  name: 'RPKI',
  cell: ({ rpki }) => rpki && <RpkiTag state={rpki} />,
};

/** As a prefix where it is one, which most parts are. */
function Addresses({ first, last }: { first: string; last: string }) {
  const prefix = first === last ? undefined : prefixOf(first, last);
  return (
    <span className="mono">
      {prefix === undefined ? (
        <>
          <AddressLink ip={first} />
          {first === last ? '' : ` – ${last}`}
        </>
      ) : (
        <PrefixLink prefix={prefix} />
      )}
    </span>
  );
}

/** Before “show all”. */
const SHOWN_PARTS = 20;
