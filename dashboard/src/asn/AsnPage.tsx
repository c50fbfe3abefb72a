import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isFailure } from '../api/failure.ts';
import { answerQuery } from '../api/query-client.ts';
import { Copyable } from '../copy/Copyable.tsx';
import { formatNumber } from '../format/number.ts';
import { CodeTabs, requestTabs } from '../parts/CodeTabs.tsx';
import { Columns } from '../parts/Columns.tsx';
import { Credits } from '../parts/Credits.tsx';
import { Page } from '../parts/Page.tsx';
import { Section } from '../parts/Section.tsx';
import { Shares } from '../parts/Shares.tsx';
import { Empty } from '../states/Empty.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { Notice } from '../states/Notice.tsx';
import { AsnFacts } from './AsnFacts.tsx';
import { AsnResults } from './AsnResults.tsx';
import { PrefixList } from './PrefixList.tsx';

const route = getRouteApi('/gate/asn/$asn');

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
          title={
            lookup.error.code === 'NOT_FOUND' ? `This dataset has no network AS${asn}` : `${asn} is not an AS number`
          }
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
                    title="Types of its IPv4 addresses"
                    {...(is_sample ? { note: 'An estimate, from a sample of its prefixes.' } : {})}
                  >
                    {connection_types.length === 0 ? (
                      <Empty title="It announces no IPv4 addresses" />
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
                <PrefixList
                  prefixes={[...(record.prefixes?.ipv4 ?? []), ...(record.prefixes?.ipv6 ?? [])]}
                  title={`${formatNumber(record.prefix_count.ipv4)} IPv4 and ${formatNumber(record.prefix_count.ipv6)} IPv6 prefixes`}
                />
                {related.length > 0 && (
                  <Section title="Networks of the same organisation" note="A guess, by name.">
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
