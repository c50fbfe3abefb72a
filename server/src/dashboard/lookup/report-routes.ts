/** Aggregate reports: whose they are, who sends as a domain, files that people upload, and what they decide about a sender. */
import { usageIdOf } from '../../admission/admission.ts';
import { decideSender } from '../../email-reports/decisions.ts';
import { sendersForRequest } from '../../email-reports/senders-request.ts';
import { ApiError } from '../../http/errors.ts';
import { MAX_REPORT_BYTES } from '../../http/limits.ts';
import { rawBody } from '../../http/requests.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { type Ask, forViewers, type Rows, route } from '../requests/ask.ts';
import { invalid } from '../requests/refusal.ts';

/** A part of the page of a domain, whose check counts. */
const CHECK = { counts: 'nothing', costs: ['email_check'] } as const;

export function reportRoutes(dependencies: DashboardDependencies) {
  const { storage, audit, live, reportImports } = dependencies;
  const sendersOf = ({ params, query, requester }: Pick<Ask<'getSenders'>, 'params' | 'query' | 'requester'>) =>
    sendersForRequest({ ...dependencies, dataset: live.current?.dataset }, params.domain, query, requester);
  return {
    listReports: forViewers(async () => {
      const domains = await storage.reports.domains();
      return {
        domains: domains.map(({ firstDay, lastDay, ...counted }) => ({
          ...counted,
          first_day: firstDay,
          last_day: lastDay,
        })),
      };
    }),
    getSenders: route('viewer', CHECK, sendersOf),
    importReports: {
      ...route('member', { counts: 'email_reports', costs: ['report_import'] }, async (ask) => {
        if (reportImports === undefined) throw new ApiError('STORAGE_UNAVAILABLE');
        const from = usageIdOf(ask.session.account.id);
        return { reports: await reportImports.import(rawBody(ask.request), from, ask.requester) };
      }),
      maxRawBytes: MAX_REPORT_BYTES,
    },
    decideSender: route('member', CHECK, async (ask) => {
      const { actor, body, now } = ask;
      const isDecided = await decideSender({ reports: storage.reports, audit }, actor, await sendersOf(ask), body, now);
      if (!isDecided) throw invalid('/service', `no mail of ${body.service} in these reports`);
      return { done: true };
    }),
  } satisfies Rows;
}
