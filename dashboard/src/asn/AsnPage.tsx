import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { AsnRecord } from '@whence/client/wire';
import { isFailure } from '../api/call.ts';
import { answerQuery } from '../api/query-client.ts';
import { Shares } from '../components/Bars.tsx';
import { CodeTabs, Copyable, requestTabs } from '../components/Copy.tsx';
import { Facts } from '../components/Facts.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Empty, Notice } from '../components/Notice.tsx';
import { Columns, Credits, Page, Section } from '../components/Page.tsx';
import { countryName } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import { NetworkSpaceMaps } from '../maps/SpaceMaps.tsx';
import { AsnResults } from './AsnSearchPage.tsx';
import { PrefixList } from './PrefixList.tsx';

const route = getRouteApi('/session/asn/$asn');

export function AsnPage() {
  const { asn } = route.useParams();
  const lookup = useQuery(answerQuery('lookUpAsn', { params: { asn } }));
  const name = lookup.data?.data.record.asn_name;
  return (
    <Page
      name={`AS${asn}`}
      title={<Copyable text={`AS${asn}`} />}
      {...(name === undefined ? {} : { lead: <Copyable text={name} /> })}
    >
      {isFailure(lookup.error, 'NOT_FOUND', 'INVALID_ASN') ? (
        <Notice
          title={lookup.error.code === 'NOT_FOUND' ? `AS${asn} is not in this dataset` : `${asn} is not an AS number`}
        >
          <p>
            An AS number is a number from 1 to 4294967295. <Link to="/asn">Search networks by name</Link>.
          </p>
        </Notice>
      ) : (
        <Loaded query={lookup} lines={12}>
          {({ data: { record, connection_types, is_sample, related, credits } }) => {
            const total = connection_types.reduce((sum, { addresses }) => sum + addresses, 0);
            return (
              <>
                <Columns>
                  <Section title="Record">
                    <AsnFacts record={record} />
                  </Section>
                  <Section
                    title="IPv4 addresses by type"
                    {...(is_sample ? { note: 'Estimated from a sample of its prefixes.' } : {})}
                  >
                    {connection_types.length === 0 ? (
                      <Empty title="No IPv4 addresses are announced" />
                    ) : (
                      <Shares
                        total={total}
                        items={connection_types.map(({ value, addresses }) => ({
                          key: value,
                          name: value,
                          amount: addresses,
                        }))}
                      />
                    )}
                  </Section>
                </Columns>
                {record.address_count.ipv4 > 0 && <NetworkSpaceMaps asn={asn} />}
                <PrefixList
                  prefixes={[...(record.prefixes?.ipv4 ?? []), ...(record.prefixes?.ipv6 ?? [])]}
                  title={`${formatNumber(record.prefix_count.ipv4)} IPv4 and ${formatNumber(record.prefix_count.ipv6)} IPv6 prefixes`}
                />
                {related.length > 0 && (
                  <Section title="Networks of the same organisation" note="Matched by name, so some may be wrong.">
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

function AsnFacts({ record }: { record: AsnRecord }) {
  const { country, rir, connection_type, is_announced, address_count, handle, registered, cloud_provider } = record;
  return (
    <Facts
      facts={[
        { name: 'Country', value: country === 'ZZ' ? 'unknown' : `${countryName(country)} (${country})` },
        { name: 'Registry', value: rir },
        { name: 'Type', value: connection_type },
        { name: 'Announced', value: is_announced ? 'yes' : 'no prefix in this dataset' },
        { name: 'IPv4 addresses', value: formatNumber(address_count.ipv4) },
        ...(handle === undefined ? [] : [{ name: 'Handle', value: <span className="mono">{handle}</span> }]),
        ...(registered === undefined ? [] : [{ name: 'Registered', value: registered }]),
        ...(cloud_provider === undefined ? [] : [{ name: 'Cloud', value: cloud_provider }]),
      ]}
    />
  );
}
