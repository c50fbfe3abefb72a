/** Aggregate reports: whose they are, who sends as a domain, files that people upload, and what they decide about a sender. */
import { usageIdOf } from '../../admission/admission.ts';
import { parseDomain } from '../../email-checks/check-request.ts';
import { decideSender } from '../../email-reports/decisions.ts';
import { sendersForRequest } from '../../email-reports/senders-request.ts';
import { ApiError } from '../../http/errors.ts';
import { MAX_REPORT_BYTES } from '../../http/limits.ts';
import { rawBody } from '../../http/requests.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { forMembers, forViewers, type Rows, route } from '../requests/ask.ts';

export function reportRoutes(dependencies: DashboardDependencies) {
  const { storage, audit, live, reportImports } = dependencies;
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
    // A part of the page of a domain, whose check counts.
    getSenders: route('viewer', { counts: 'nothing', costs: ['email_check'] }, ({ params, query, requester }) =>
      sendersForRequest({ ...dependencies, dataset: live.current?.dataset }, params.domain, query, requester),
    ),
    importReports: {
      ...route('member', { counts: 'email_reports', costs: ['report_import'] }, async (ask) => {
        if (reportImports === undefined) throw new ApiError('STORAGE_UNAVAILABLE');
        const from = usageIdOf(ask.session.account.id);
        return { reports: await reportImports.import(rawBody(ask.request), from, ask.requester) };
      }),
      maxRawBytes: MAX_REPORT_BYTES,
    },
    decideSender: forMembers(async ({ actor, params, body, now }) => {
      const about = { ...body, domain: parseDomain(params.domain), service: body.service.toLowerCase() };
      await decideSender({ reports: storage.reports, audit }, actor, about, now);
      return { done: true };
    }),
  } satisfies Rows;
}
