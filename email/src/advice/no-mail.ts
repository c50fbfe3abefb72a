import type { Findings } from '../report/score.ts';
import { isOnlyMinusAll } from './spf-record.ts';

/**
 * The domain says that it sends no mail: an SPF record that lets no host send, or a null MX (RFC 7505 §4.2). Domains for
 * notifications have a null MX too, and send; those have an SPF record that lets hosts send.
 */
export function sendsNoMail({ mx, spf }: Findings): boolean {
  const [record, ...others] = spf.records;
  if (record === undefined) return mx.state === 'null' && !spf.isUnverified;
  return others.length === 0 && isOnlyMinusAll(record);
}

/** Whether a mailbox at the domain can receive reports. */
export function canReceive({ mx }: Findings): boolean {
  return mx.state === 'valid' || mx.state === 'partly' || mx.state === 'implicit';
}
