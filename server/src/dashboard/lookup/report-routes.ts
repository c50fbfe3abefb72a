/**
 * Reports: whose they are, who sends as a domain, how TLS fares, files that people upload, and what
 * they decide about a sender.
 */

import { isAllowedDomain } from '../../domains/allowed-domains.ts';
import { decideSender } from '../../email-reports/decisions.ts';
import type { ReportMailbox } from '../../email-reports/mailbox/report-mailbox.ts';
import { reportedDomains } from '../../email-reports/reported-domains.ts';
import { sendersForRequest } from '../../email-reports/senders-request.ts';
import { tlsReportsForRequest } from '../../email-reports/tls-reports-request.ts';
import { ApiError } from '../../http/errors.ts';
import { MAX_REPORT_BYTES } from '../../http/limits.ts';
import { rawBody } from '../../http/requests.ts';
import { usageIdOf } from '../../usage-ids.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { type Ask, forViewers, type Rows, route } from '../requests/ask.ts';
import { invalid } from '../requests/refusal.ts';
import type { ReportMailboxState } from '../wire/domains.ts';

/** A part of the page of a domain, whose check counts. */
const TLS_CHECK = { counts: 'nothing', costs: ['email_check'] } as const;
const CHECK = { counts: 'nothing', costs: ['email_check', 'judgement'] } as const;

function shownMailbox({
  mailbox: { host, folder },
  stored,
}: Awaited<ReturnType<ReportMailbox['state']>>): ReportMailboxState {
  return {
    host,
    folder,
    fetched_at: stored?.fetchedAt?.toISOString() ?? '',
    failure: stored?.failure ?? '',
    messages: stored?.messages ?? 0,
    read: stored?.reportsRead ?? 0,
    repeated: stored?.reportsRepeated ?? 0,
    not_read: stored?.reportsNotRead ?? 0,
    without_report: stored?.withoutReport ?? 0,
    too_large: stored?.tooLarge ?? 0,
  };
}

export function reportRoutes(dependencies: DashboardDependencies) {
  const { storage, audit, live, reportImports, reportMailbox } = dependencies;
  const sendersOf = ({
    session,
    params,
    query,
    requester,
  }: Pick<Ask<'getSenders'>, 'session' | 'params' | 'query' | 'requester'>) =>
    sendersForRequest(
      {
        ...dependencies,
        ...reportsFor(dependencies, session, params.domain),
        dataset: live.current?.dataset,
      },
      params.domain,
      query,
      requester,
    );
  return {
    listReports: forViewers(async ({ session, now }) => {
      const domains = await reportedDomains(storage, now.getTime());
      const { allowedDomains } = session.account;
      const shown = domains.filter(({ domain }) => isAllowedDomain(domain, allowedDomains));
      const watched = new Set(await storage.watch.among(shown.map(({ domain }) => domain)));
      // It has reports of all domains.
      const mailbox = allowedDomains === undefined ? await reportMailbox?.state() : undefined;
      return {
        ...(mailbox && { mailbox: shownMailbox(mailbox) }),
        domains: shown.map(({ firstDay, lastDay, tlsReports, ...counted }) => ({
          ...counted,
          tls_reports: tlsReports,
          is_watched: watched.has(counted.domain),
          first_day: firstDay,
          last_day: lastDay,
        })),
      };
    }),
    getSenders: route('viewer', CHECK, sendersOf),
    getTlsReports: route('viewer', TLS_CHECK, ({ session, params, query, requester }) =>
      tlsReportsForRequest(
        { ...dependencies, ...reportsFor(dependencies, session, params.domain) },
        params.domain,
        query,
        requester,
      ),
    ),
    importReports: {
      ...route('member', { counts: 'email_reports', costs: ['report_import'] }, async (ask) => {
        if (reportImports === undefined) throw new ApiError('STORAGE_UNAVAILABLE');
        const { id, allowedDomains } = ask.session.account;
        const importer = { id: usageIdOf(id), allowedDomains };
        const bytes = rawBody(ask.request);
        return { reports: await reportImports.import(bytes, importer, ask.requester) };
      }),
      maxRawBytes: MAX_REPORT_BYTES,
    },
    decideSender: route('member', CHECK, async (ask) => {
      const { actor, body, now } = ask;
      const isDecided = await decideSender(
        { reports: storage.reports, audit },
        actor,
        await sendersOf(ask),
        body,
        now,
      );
      if (!isDecided) throw invalid('/service', `no mail of ${body.service} in these reports`);
      return { done: true };
    }),
  } satisfies Rows;
}

type Reported = Pick<DashboardDependencies, 'senders' | 'tlsReports'>;

/** None for an account that may not read reports of the domain. */
export function reportsFor(
  { senders, tlsReports }: Reported,
  session: Ask<'getSenders'>['session'] | undefined,
  domain: string,
): Reported {
  return session !== undefined && isAllowedDomain(domain, session.account.allowedDomains)
    ? { senders, tlsReports }
    : { senders: undefined, tlsReports: undefined };
}
