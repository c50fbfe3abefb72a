/**
 * `wh watch run`: the events of domains without a server, from one check of each at every run. What
 * is expected and open is kept in a file.
 */
import { existsSync, readFileSync } from 'node:fs';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import type { WatchEvent } from '../../storage/stores/watch-event-store.ts';
import { MAX_WATCHED_DOMAINS } from '../../storage/stores/watched-domain-store.ts';
import { CommandError, type ExitCode, InputError, UsageError } from '../../terminal/exit.ts';
import { withFileErrors } from '../../terminal/file-errors.ts';
import { type CommandStreams, StreamSink } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { staged } from '../../terminal/staged-files.ts';
import { packageVersion } from '../../version.ts';
import { unreachable } from '../../watch/deployment.ts';
import { judgeCheck, readState, selectorsOf } from '../../watch/domain-state.ts';
import { applyChanges, type LedgerLine } from '../../watch/ledger.ts';
import { observe } from '../../watch/observation.ts';
import { REOPEN_MS } from '../../watch/settle.ts';
import { showEvent } from '../../watch/watch-list.ts';
import { listDomains } from '../email/domain-list.ts';
import { inOrder } from '../email/in-order.ts';

const PARALLEL = 16;
const FORMAT = 1;

type RunOptions = { readonly state: string };
type RunSettings = { readonly dnsServers: readonly string[] };
type Kept = { readonly state: string; readonly events: readonly WatchEvent[] };
type Judged = Kept & { readonly lines: readonly LedgerLine[]; readonly isAnswered: boolean };

export async function watchRun(
  texts: readonly string[],
  { state: path }: RunOptions,
  { dnsServers }: RunSettings,
  { stdin, stdout }: CommandStreams,
  now: () => Date,
): Promise<ExitCode> {
  const listed = await listDomains(texts, stdin);
  const [wrong] = listed.filter(({ domain }) => domain === undefined);
  if (wrong !== undefined) throw new UsageError(`not a domain: ${JSON.stringify(wrong.text)}`);
  if (listed.length > MAX_WATCHED_DOMAINS)
    throw new UsageError(`at most ${MAX_WATCHED_DOMAINS} domains: use several files of state`);
  const domains = listed.flatMap(({ domain }) => domain ?? []);
  const known = readKept(path);
  const checks = new EmailChecks(dnsServers, { slotsPerKey: PARALLEL });
  const judged = new Map<string, Judged>();
  try {
    const work = (domain: string) => judgeDomain(checks, domain, known.get(domain), now());
    const results = inOrder(domains, PARALLEL, work);
    for (const domain of domains) {
      const { value } = await results.next();
      if (value !== undefined) judged.set(domain, value);
    }
  } finally {
    checks.close();
  }
  const at = now();
  const answers = [...judged.values()].map(({ isAnswered }) => ({ at, isAnswered }));
  const [outage] = unreachable(answers, at.getTime());
  if (outage !== undefined)
    throw new CommandError(
      `${outage.sentence}; see whether the name servers (WHENCE_DNS_SERVERS) are reached`,
    );
  await writeKept(path, judged);
  const lines = [...judged.values()].flatMap(({ lines }) => lines);
  const sink = new StreamSink(stdout);
  for (const { kind, event } of lines)
    await sink.write(jsonLine({ kind, ...showEvent(event, at) }));
  const isAlarm = ({ kind, event }: LedgerLine) =>
    kind === 'opened' && event.quiet === undefined && event.severity === 'high';
  if (lines.some(isAlarm)) return 1;
  if (answers.some(({ isAnswered }) => isAnswered)) return 0;
  throw new CommandError(`${domains[0]} did not answer; its events stay as they are for a day`);
}

async function judgeDomain(
  checks: EmailChecks,
  domain: string,
  kept: Kept | undefined,
  now: Date,
): Promise<Judged> {
  const state = readState(kept?.state ?? '{}');
  const examination = await checks.check(domain, {
    fairnessKey: 'command line',
    signal: new AbortController().signal,
    selectors: undefined,
    moreSelectors: selectorsOf(state),
    hasTransport: true,
  });
  // Only a request that was aborted has none.
  if (examination === undefined) throw new CommandError(`${domain} was not checked`);
  const observation = observe(examination);
  const nowMs = now.getTime();
  const events = (kept?.events ?? []).filter(
    ({ resolvedAt }) => resolvedAt === undefined || nowMs - resolvedAt.getTime() <= REOPEN_MS,
  );
  const after = judgeCheck(state, observation, events, { nowMs, release: packageVersion() });
  return {
    state: JSON.stringify(after.state),
    ...applyChanges(events, after.changes, domain, now),
    isAnswered: observation.unanswered.size === 0,
  };
}

type StoredFile = { readonly format: number; readonly domains: Readonly<Record<string, Kept>> };

function readKept(path: string): Map<string, Kept> {
  if (!existsSync(path)) return new Map();
  const text = withFileErrors(
    () => readFileSync(path, 'utf8'),
    (_, refusal) => new InputError(`cannot read ${path}: ${refusal ?? 'it is not readable'}`),
  );
  let stored: StoredFile;
  try {
    // Written by `writeKept`.
    stored = JSON.parse(text, (name, value) =>
      /At$/.test(name) ? new Date(value) : value,
    ) as StoredFile;
    if (stored.format !== FORMAT) throw new Error('another format');
    return new Map(Object.entries(stored.domains));
  } catch {
    throw new InputError(`${path} was not written by this command, or by a newer version of it`);
  }
}

async function writeKept(path: string, judged: ReadonlyMap<string, Judged>): Promise<void> {
  const domains = [...judged].map(([domain, { state, events }]) => [domain, { state, events }]);
  const text = JSON.stringify({ format: FORMAT, domains: Object.fromEntries(domains) });
  await staged((files) => files.create(path, '--state').write(`${text}\n`));
}
