// The one TXT record of a kind by its version, as MTA-STS (RFC 8461 §3.1), TLS-RPT (RFC 8460 §3)
// and BIMI select theirs. Two of the kind are as good as none.
import type { Answer } from '../dns/answer.ts';
import { MAX_TXT_BYTES } from '../dns/budget.ts';
import { dnsFailure, type Finding } from '../findings/finding.ts';
import { parseTagList, type TagList, tagListErrors } from '../records/tag-list.ts';

type VersionedRecord =
  | { readonly kind: 'none' }
  /** `raw` is `''` if the question failed. */
  | { readonly kind: 'unusable'; readonly raw: string; readonly error: Finding }
  | {
      readonly kind: 'one';
      readonly raw: string;
      readonly tags: TagList;
      readonly errors: readonly Finding[];
    };

export function selectVersioned(
  record: 'MTA-STS' | 'TLS-RPT' | 'BIMI',
  name: string,
  version: string,
  answer: Answer<string>,
): VersionedRecord {
  if (answer.kind === 'failure')
    return { kind: 'unusable', raw: '', error: dnsFailure(name, 'TXT', answer) };
  const records =
    answer.kind === 'found' ? answer.records.filter((text) => hasVersion(text, version)) : [];
  const [raw] = records;
  if (raw === undefined) return { kind: 'none' };
  if (records.length > 1) {
    const error: Finding = {
      code: 'multiple_records',
      detail: { record, name, count: records.length },
    };
    return { kind: 'unusable', raw, error };
  }
  if (raw.length > MAX_TXT_BYTES)
    return { kind: 'unusable', raw, error: { code: 'record_too_long', detail: { record, name } } };
  const tags = parseTagList(raw);
  return { kind: 'one', raw, tags, errors: tagListErrors(tags) };
}

/** Case-sensitive, and followed by a semicolon, with blanks before it or not. */
function hasVersion(text: string, version: string): boolean {
  const head = `v=${version}`;
  return text.startsWith(head) && /^[ \t]*;/.test(text.slice(head.length, head.length + 20));
}
