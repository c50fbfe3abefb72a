import { getRouteApi, Link } from '@tanstack/react-router';
import type { AsnRecord } from '@whence/client/wire';
import { parsePrefixedAsn, reservedAsnUse } from '@whence/dataset/as-number';
import type { AsnLookup } from '@whence/server/dashboard-wire/lookups';
import { isFailure } from '../api/call.ts';
import { useAnswer } from '../api/query-client.ts';
import { Shares, sharesOf } from '../components/Bars.tsx';
import { CodeTabs, requestTabs } from '../components/CodeTabs.tsx';
import { Copyable } from '../components/Copy.tsx';
import { Facts } from '../components/Facts.tsx';
import { Loaded, LoadedLead } from '../components/Loaded.tsx';
import { Empty, Notice } from '../components/Notice.tsx';
import { Columns, Credits, Page, Section, Verdict } from '../components/Page.tsx';
import { countryName } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { CountryMap } from '../maps/CountryMap.tsx';
import classes from './AsnPage.module.css';
import { AsnResults } from './AsnSearchPage.tsx';
import { networkVerdict } from './network-verdict.ts';
import { PrefixList } from './PrefixList.tsx';

const route = getRouteApi('/session/asn/$asn');

export function AsnPage() {
  const { asn } = route.useParams();
  const lookup = useAnswer('lookUpAsn', { params: { asn } });
  const reservedUse = reservedAsnUse(parsePrefixedAsn(asn) ?? -1);
  return (
    <Page
      name={`AS${asn}`}
      title={<Copyable text={`AS${asn}`} />}
      lead={
        <LoadedLead query={lookup}>
          {({ data }) => (
            <Verdict
              text={networkVerdict(data.record, data.prefix_kinds, data, data.rpki?.states)}
            />
          )}
        </LoadedLead>
      }
    >
      {isFailure(lookup.error, 'NOT_FOUND', 'INVALID_ASN') ? (
        <UnknownNetwork
          asn={asn}
          isNumber={lookup.error.code === 'NOT_FOUND'}
          reservedUse={reservedUse}
        />
      ) : (
        <Loaded query={lookup} shape={[['facts', 'bars'], ['table']]}>
          {({ data }) => {
            const { record, connection_types, countries, is_sample, related, credits } = data;
            const total = connection_types.reduce((sum, { addresses }) => sum + addresses, 0);
            const sampled = is_sample ? 'Estimated from a sample of its prefixes.' : undefined;
            return (
              <>
                <Columns>
                  <Section title="Record">
                    <AsnFacts record={record} rpki={data.rpki} />
                  </Section>
                  <div className={classes['shares']}>
                    <Section title="IPv4 addresses by type" note={sampled}>
                      {connection_types.length === 0 ? (
                        <Empty title="No IPv4 addresses are announced" />
                      ) : (
                        <Shares total={total} items={sharesOf(connection_types)} />
                      )}
                    </Section>
                    {countries.length > 0 && (
                      <Section title="IPv4 addresses by country" note={sampled}>
                        <Shares total={total} items={sharesOf(countries, countryName)} />
                      </Section>
                    )}
                  </div>
                </Columns>
                <CountryMap
                  amounts={countries.map(({ value, addresses }) => ({
                    code: value,
                    amount: addresses,
                  }))}
                  total={total}
                  unit="addresses"
                />
                <PrefixList
                  lookup={data}
                  title={`${count(record.prefix_count.ipv4, 'IPv4 prefix', 'IPv4 prefixes')} and ${count(record.prefix_count.ipv6, 'IPv6 prefix', 'IPv6 prefixes')}`}
                />
                {related.length > 0 && (
                  <Section
                    title="Networks of the same organisation"
                    note="Matched by name, so some may be wrong."
                  >
                    <AsnResults results={related} label="Related networks" />
                  </Section>
                )}
                <CodeTabs
                  tabs={requestTabs(
                    { ...record, prefixes: undefined },
                    `/v1/asn/${asn}?include_prefixes=true`,
                    `asn(${asn}, { includePrefixes: true })`,
                  )}
                />
                <Credits credits={credits} />
              </>
            );
          }}
        </Loaded>
      )}
    </Page>
  );
}

type UnknownNetworkProps = {
  asn: string | number;
  isNumber: boolean;
  reservedUse: string | undefined;
};

function UnknownNetwork({ asn, isNumber, reservedUse }: UnknownNetworkProps) {
  const search = <Link to="/asn">Search networks by name</Link>;
  if (!isNumber)
    return (
      <Notice title={`${asn} is not an AS number`}>
        <p>An AS number is a number from 1 to 4294967295. {search}.</p>
      </Notice>
    );
  if (reservedUse !== undefined)
    return (
      <Notice title={`AS${asn} is for ${reservedUse}`}>
        <p>Networks on the public internet do not use it. {search}.</p>
      </Notice>
    );
  return (
    <Notice title={`AS${asn} is not in this dataset`}>
      <p>No prefix and no registration of it is known. {search}.</p>
    </Notice>
  );
}

function AsnFacts({ record, rpki }: { record: AsnRecord; rpki: AsnLookup['rpki'] }) {
  const { country, handle } = record;
  return (
    <Facts
      facts={{
        Name: <Copyable text={record.asn_name} />,
        Country: country === 'ZZ' ? 'unknown' : `${countryName(country)} (${country})`,
        Registry: record.rir,
        Type: record.connection_type,
        Announced: record.is_announced ? 'yes' : 'no prefix in this dataset',
        'IPv4 addresses': formatNumber(record.address_count.ipv4),
        Handle: handle && <span className="mono">{handle}</span>,
        Registered: record.registered,
        Cloud: record.cloud_provider,
        // The verdict has the share of valid prefixes, and the list the state of each.
        RPKI: rpki && (
          <>
            by ROA data written <Time at={rpki.as_of} />
          </>
        ),
      }}
    />
  );
}
