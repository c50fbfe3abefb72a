// BIMI (draft-brand-indicators-for-message-identification): mark and certificate, neither of which
// is fetched.
import type { Resolver } from '../dns/answer.ts';
import { type Finding, judged } from '../findings/finding.ts';
import { tagValue } from '../records/tag-list.ts';
import { organizationOf } from '../registrable-domain.ts';
import type { BimiReport, DmarcReport } from '../report.ts';
import { excerpt } from '../visible-text.ts';
import { selectVersioned } from './versioned-record.ts';

/** Receivers look at the domain, then at the registrable domain. Both are queried at once. */
export async function checkBimi(
  domain: string,
  resolver: Resolver,
  dmarc: Promise<DmarcReport<Finding>>,
): Promise<BimiReport<Finding>> {
  const domains = [...new Set([domain, organizationOf(domain)])];
  const records = await Promise.all(
    domains.map(async (owner) => {
      const name = `default._bimi.${owner}`;
      return { owner, record: selectVersioned('BIMI', name, 'BIMI1', await resolver.txt(name)) };
    }),
  );
  const first = records.find(({ record }) => record.kind !== 'none');
  if (first === undefined)
    return reportOf({}, [{ code: 'no_bimi_record', detail: { name: `default._bimi.${domain}` } }]);
  const { owner, record } = first;
  if (record.kind !== 'one')
    return reportOf(
      { raw: record.kind === 'none' ? '' : record.raw },
      record.kind === 'none' ? [] : [record.error],
    );
  const location = tagValue(record.tags, 'l') ?? '';
  const certificate = tagValue(record.tags, 'a') ?? '';
  const published = { raw: record.raw, record_domain: owner, location, certificate };
  const errors = [...record.errors];
  if (location === '') errors.push({ code: 'bimi_declined', detail: {} });
  else if (!isHttps(location)) errors.push(badUri('l', location));
  if (certificate !== '' && !isHttps(certificate)) errors.push(badUri('a', certificate));
  const { effective_policy: policy, subdomain_policy: subdomains, percentage } = await dmarc;
  if (location !== '' && (policy === 'none' || subdomains === 'none' || percentage < 100))
    errors.push({ code: 'bimi_policy_too_weak', detail: { policy, subdomains, percentage } });
  if (isHttps(location) && certificate === '')
    errors.push({ code: 'no_bimi_certificate', detail: {} });
  return reportOf(published, errors);
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:';
}

function badUri(tag: 'l' | 'a', value: string): Finding {
  return { code: 'bad_bimi_uri', detail: { tag, value: excerpt(value) } };
}

function reportOf(published: Partial<BimiReport<Finding>>, errors: Finding[]): BimiReport<Finding> {
  const report = { raw: '', record_domain: '', location: '', certificate: '', ...published };
  return { found: report.raw !== '', ...report, ...judged(errors) };
}
