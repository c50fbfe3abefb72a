/** TLS-RPT (RFC 8460 §3): where senders report that TLS failed. */
import type { Resolver } from '../dns/answer.ts';
import { type Finding, judged } from '../findings/finding.ts';
import { tagValue } from '../records/tag-list.ts';
import type { TlsRptReport } from '../report.ts';
import { excerpt } from '../visible-text.ts';
import { selectVersioned } from './versioned-record.ts';

const MAX_URIS = 20;

export async function checkTlsRpt(
  domain: string,
  resolver: Resolver,
): Promise<TlsRptReport<Finding>> {
  const name = `_smtp._tls.${domain}`;
  const record = selectVersioned('TLS-RPT', name, 'TLSRPTv1', await resolver.txt(name));
  if (record.kind === 'none')
    return reportOf('', [], [{ code: 'no_tls_rpt_record', detail: { name } }]);
  if (record.kind === 'unusable') return reportOf(record.raw, [], [record.error]);
  const rua = tagValue(record.tags, 'rua');
  if (rua === undefined)
    return reportOf(record.raw, [], [...record.errors, { code: 'no_tls_rpt_uri', detail: {} }]);
  const items = rua.split(',').map((item) => item.trim());
  const read = items.slice(0, MAX_URIS);
  const errors = read.filter((item) => !isReportUri(item)).map(uriFault);
  if (items.length > read.length)
    errors.push({
      code: 'bad_report_uri',
      detail: { tag: 'rua', kind: 'too many', unread: items.length - read.length },
    });
  return reportOf(record.raw, read.filter(isReportUri), [...record.errors, ...errors]);
}

/** By mail or HTTPS. A comma, a semicolon and an exclamation mark within are percent-encoded. */
function isReportUri(item: string): boolean {
  return /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/i.test(item) && URL.canParse(item);
}

function uriFault(item: string): Finding {
  const writtenKind = /^[a-z][a-z0-9+.-]*:/i.test(item) ? 'not a URI' : 'no scheme';
  const kind = item === '' ? 'empty' : writtenKind;
  return { code: 'bad_report_uri', detail: { tag: 'rua', item: excerpt(item), kind } };
}

function reportOf(raw: string, report_uris: string[], errors: Finding[]): TlsRptReport<Finding> {
  return { found: raw !== '', raw, report_uris, ...judged(errors), recommendations: [] };
}
