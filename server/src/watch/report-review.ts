/** What the reports of a domain say once a day, for its events. */
import type { Examination } from '@whence/email';
import type { CheckedZone } from '@whence/email/reports/judge';
import type { TlsVerdict } from '@whence/email/reports/tls-verdict';
import { dayOfMs } from '../day.ts';
import type { ReportedHistory } from '../email-reports/senders.ts';
import { isOverloaded } from '../http/errors.ts';
import type { Requester } from '../limits/cost-classes.ts';
import { judgeReports, type ReportedEvents, type ReportState } from './report-events.ts';

/** `resolver`: for further questions about the same zone. */
export type CheckedDomain = Examination & Pick<CheckedZone, 'resolver'>;

export type ReportReview = {
  /** Selectors that its mail was signed with. */
  selectors(domain: string): Promise<readonly string[]>;
  /** Undefined where reports say nothing new today. */
  review(
    domain: string,
    state: ReportState | undefined,
    checked: CheckedDomain,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<ReportedEvents | undefined>;
};

type ReportSenders = {
  selectors(domain: string): Promise<readonly string[]>;
  hasReports(domain: string): Promise<boolean>;
  history(
    domain: string,
    zone: CheckedZone,
    requester: Requester,
  ): Promise<ReportedHistory | undefined>;
};
type ReportedTls = {
  measure(domain: string, checked: CheckedDomain): Promise<TlsVerdict | undefined>;
};

export function reportReview(
  senders: ReportSenders,
  tlsReports: ReportedTls,
  fairnessKey: string,
): ReportReview {
  return {
    selectors: (domain) => senders.selectors(domain),
    async review(domain, state, checked, nowMs, signal) {
      const today = dayOfMs(nowMs);
      if (state?.day === today) return undefined;
      const tls = await tlsReports.measure(domain, checked);
      const isNew = state === undefined && tls === undefined;
      if (isNew && !(await senders.hasReports(domain))) return undefined;
      const requester = { fairnessKey, isAnonymous: true, signal };
      const history = await senders.history(domain, checked, requester).catch((error: unknown) => {
        // The check has its result; reports are judged with the next one.
        if (isOverloaded(error)) return undefined;
        throw error;
      });
      return history && judgeReports(state, { ...history, today, tls });
    },
  };
}
