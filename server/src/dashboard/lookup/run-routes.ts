/**
 * Runs: lists of domains that are kept with their results, so that leaving the page loses nothing. The page asks for the
 * next domain, which claims it, and then for its check: two tabs share the work, and no domain is checked twice.
 */
import { randomUUID } from 'node:crypto';
import { ApiError } from '../../http/errors.ts';
import type { StoredRun } from '../../storage/stores/run-store.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { type Ask, forViewers, type Rows, route } from '../requests/ask.ts';
import { DashboardRefusal } from '../requests/refusal.ts';
import type { CheckOutline, DomainCheck, RunResult, RunSummary } from '../wire/domains.ts';
import { describeDomain } from './lookup-routes.ts';

/** Advice may have a record in it. */
const MAX_ADVICE_CHARACTERS = 1_000;

export function runRoutes(dependencies: DashboardDependencies) {
  const { runs } = dependencies.storage;
  const requireRun = async ({ session, params }: Pick<Ask<'getRun'>, 'session' | 'params'>): Promise<StoredRun> => {
    const run = await runs.find(session.account.id, params.id);
    if (run === undefined) throw new DashboardRefusal('NOT_FOUND');
    return run;
  };
  const resultsOf = async ({ id }: StoredRun) =>
    (await runs.domains(id)).map(({ domain, result }) => ({
      domain,
      ...(result && { result: JSON.parse(result) as RunResult }),
    }));

  return {
    listRuns: forViewers(async ({ session }) => ({ runs: (await runs.list(session.account.id)).map(summaryOf) })),
    createRun: forViewers(async ({ session, body, now }) => {
      const domains = [...new Set(body.domains)];
      const run = {
        ...{ id: randomUUID(), accountId: session.account.id, name: body.name },
        ...{ createdAt: now, size: domains.length, checked: 0 },
      };
      await runs.insert(run, domains);
      return { run: summaryOf(run) };
    }),
    getRun: forViewers(async (ask) => {
      const run = await requireRun(ask);
      return { run: summaryOf(run), domains: await resultsOf(run) };
    }),
    removeRun: forViewers(async (ask) => {
      await runs.remove((await requireRun(ask)).id);
      return { done: true };
    }),
    claimDomain: forViewers(async (ask) => {
      const position = await runs.claim((await requireRun(ask)).id, ask.now);
      return position === undefined ? {} : { position };
    }),
    checkRunDomain: route('viewer', { counts: 'email', costs: ['email_check', 'smtp_probe'] }, async (ask) => {
      const { id } = await requireRun(ask);
      const { position } = ask.body;
      const found = await runs.domain(id, position);
      if (found === undefined) throw new DashboardRefusal('NOT_FOUND');
      if (found.result !== undefined) return { result: JSON.parse(found.result) as RunResult };
      if (!(await runs.begin(id, position, ask.now))) throw new DashboardRefusal('BEING_CHECKED');
      // A page that is left does not stop the check: it has been counted, and its result is kept.
      const requester = { ...ask.requester, signal: new AbortController().signal };
      try {
        const check = describeDomain(dependencies, { ...ask, requester }, found.domain, {});
        const result = await check.then(outlineOf, refusalOf);
        await runs.save(id, position, JSON.stringify(result));
        return { result };
      } catch (error) {
        await runs.release(id, position);
        throw error;
      }
    }),
    retryRun: forViewers(async (ask) => {
      await runs.forget((await requireRun(ask)).id, REFUSED);
      return { done: true };
    }),
  } satisfies Rows;
}

const summaryOf = ({ id, name, createdAt, size, checked }: StoredRun): RunSummary => ({
  ...{ id, name, size, checked },
  created_at: createdAt.toISOString(),
});

/** What a row of the page shows. */
function outlineOf(check: DomainCheck): CheckOutline {
  const { risk, is_finished, sender_rules, senders, grade_text, does_exist, is_dmarc_test_mode, advice } = check;
  const { domain, domain_auth_score, dmarc } = check.report;
  const { effective_policy, subdomain_policy, percentage } = dmarc;
  const view = (part: keyof DomainCheck['parts']) => {
    const { state, is_valid } = check.parts[part];
    return { state, is_valid };
  };
  return {
    ...{ risk, is_finished, sender_rules, grade_text, does_exist, is_dmarc_test_mode },
    ...(senders && { senders }),
    advice: advice.slice(0, 1).map(({ text }) => ({ text: text.slice(0, MAX_ADVICE_CHARACTERS) })),
    report: {
      ...{ domain, domain_auth_score },
      // Only whether there is one matters.
      dmarc: { raw: dmarc.raw.slice(0, 8), effective_policy, subdomain_policy, percentage },
    },
    parts: { mx: view('mx'), spf: view('spf'), dkim: view('dkim'), dmarc: view('dmarc') },
  };
}

/** How the JSON of a refusal begins. */
const REFUSED = '{"refusal":';

/** What is wrong with one domain is its result; everything else stops the run. */
function refusalOf(error: unknown): RunResult {
  if (!(error instanceof ApiError) || !['INVALID_DOMAIN', 'DNS_UNAVAILABLE'].includes(error.code)) throw error;
  const { code, extra } = error;
  return { refusal: { code: code as 'INVALID_DOMAIN' | 'DNS_UNAVAILABLE', ...extra } };
}
