/** Judged rows as people read them: by service, by day, and the rows behind one service. */
import { cutText, visible } from '../visible-text.ts';
import { explainEvidence, type JudgedSource, SENDER_CLASSES, type SenderClass } from './classify.ts';
import type { SenderDecision } from './report.ts';
import { dayAfter } from './verdict.ts';

export type SenderService = {
  id: string;
  name: string;
  /** That of its mail which fails, the most important first; `passes` if none does. */
  class: SenderClass;
  messages: number;
  passed: number;
  spf_passed: number;
  dkim_passed: number;
  /** Passed by DKIM alone, with an envelope of the domain that SPF does not let pass. */
  forwarded: number;
  classes: Record<SenderClass, number>;
  first_seen: string;
  last_seen: string;
  networks: string[];
  evidence: { code: string; text: string; messages: number }[];
  decision?: SenderDecision;
};

export type SenderDay = { [Field in SenderClass | 'day']: Field extends 'day' ? string : number };

/** Rows of one service, the most messages first. */
export type SenderRow = {
  address: string;
  network: string;
  class: SenderClass;
  messages: number;
  header_from: string;
  envelope_from: string;
  spf: string[];
  dkim: string[];
  disposition: string;
  reporters: string[];
  first_seen: string;
  last_seen: string;
  evidence: string;
};

const MAX_SERVICES = 200;
const MAX_NETWORKS = 5;
const MAX_EVIDENCE = 5;
const MAX_ROWS = 200;
const MAX_NAMES = 10;
/** What fails decides, in this order. */
const BY_WEIGHT = ['ours_broken', 'at_named_service', 'forwarded', 'not_ours', 'passes'] as const;

/** Reports are texts of others. */
const shown = (text: string) => cutText(visible(text), MAX_CHARACTERS);
const MAX_CHARACTERS = 300;

export type SummaryOptions = {
  readonly networkName: (address: string) => string;
  readonly decisions: ReadonlyMap<string, SenderDecision>;
};

const noMessages = (): Record<SenderClass, number> =>
  Object.fromEntries(SENDER_CLASSES.map((name) => [name, 0])) as Record<SenderClass, number>;

/** `left_out`: services beyond those that are listed, which have the fewest messages. */
export function summarizeServices(
  judged: readonly JudgedSource[],
  { networkName, decisions }: SummaryOptions,
): { services: SenderService[]; left_out: number } {
  const groups = new Map<string, JudgedSource[]>();
  for (const one of judged) {
    const group = groups.get(one.sender.id);
    if (group === undefined) groups.set(one.sender.id, [one]);
    else group.push(one);
  }
  const sizes = [...groups].map(([id, group]) => ({ id, group, messages: sum(group, () => true) }));
  sizes.sort((a, b) => b.messages - a.messages || (a.id < b.id ? -1 : 1));
  const services = sizes.slice(0, MAX_SERVICES).map(({ id, group, messages }): SenderService => {
    const classes = classCounts(group);
    const decision = decisions.get(id);
    return {
      id: shown(id),
      name: shown(group[0]?.sender.name ?? id),
      class: BY_WEIGHT.find((name) => classes[name] > 0) ?? 'passes',
      messages,
      passed: classes.passes,
      spf_passed: sum(group, ({ source }) => source.spfPassed),
      dkim_passed: sum(group, ({ source }) => source.dkimPassed),
      forwarded: sum(group, ({ evidence }) => evidence.code === 'dkim_passed' && evidence.isForwarded),
      classes,
      ...seen(group),
      networks: most(group, ({ source }) => networkName(source.address), MAX_NETWORKS).map(([name]) => name),
      evidence: evidenceOf(group),
      ...(decision !== undefined && { decision }),
    };
  });
  return { services, left_out: sizes.length - services.length };
}

/** Days without mail are left out. */
export function summarizeDays(judged: readonly JudgedSource[]): SenderDay[] {
  const periods = new Map<string, SenderDay[]>();
  for (const { source, class: senderClass } of judged) {
    let period = periods.get(source.start);
    if (period === undefined) {
      period = source.daily.map((_, i) => ({ day: dayAfter(source.start, i), ...noMessages() }));
      periods.set(source.start, period);
    }
    for (const [i, messages] of source.daily.entries()) (period[i] as SenderDay)[senderClass] += messages;
  }
  const days = [...periods.values()].flat().sort((a, b) => (a.day < b.day ? -1 : 1));
  return days.filter((day) => SENDER_CLASSES.some((name) => day[name] > 0));
}

export function rowsOfService(
  judged: readonly JudgedSource[],
  service: string,
  networkName: (address: string) => string,
): SenderRow[] {
  const rows = judged.filter(({ sender }) => sender.id === service);
  rows.sort((a, b) => b.source.messages - a.source.messages);
  return rows.slice(0, MAX_ROWS).map(({ source, class: senderClass, evidence }) => ({
    address: source.address,
    network: networkName(source.address),
    class: senderClass,
    messages: source.messages,
    header_from: shown(source.headerFrom),
    envelope_from: shown(source.envelopeFrom),
    spf: source.spf.slice(0, MAX_NAMES).map(({ domain, result }) => shown(`${domain} ${result}`)),
    dkim: source.dkim
      .slice(0, MAX_NAMES)
      .map(({ domain, selector, result }) => shown(`${selector} ${domain} ${result}`.trim())),
    disposition: shown(source.disposition),
    reporters: source.reporters.slice(0, MAX_NAMES).map(shown),
    first_seen: source.firstDay,
    last_seen: source.lastDay,
    evidence: explainEvidence(evidence),
  }));
}

function classCounts(group: readonly JudgedSource[]): Record<SenderClass, number> {
  const counts = noMessages();
  for (const one of group) counts[one.class] += one.source.messages;
  return counts;
}

function sum(group: readonly JudgedSource[], isCounted: (one: JudgedSource) => boolean): number {
  return group.reduce((total, one) => total + (isCounted(one) ? one.source.messages : 0), 0);
}

function seen(group: readonly JudgedSource[]): { first_seen: string; last_seen: string } {
  let [first, last] = ['9999-12-31', ''];
  for (const { source } of group) {
    if (source.firstDay < first) first = source.firstDay;
    if (source.lastDay > last) last = source.lastDay;
  }
  return { first_seen: first, last_seen: last };
}

function most(group: readonly JudgedSource[], textOf: (one: JudgedSource) => string, limit: number) {
  return mostMessages(
    group.map((one) => [textOf(one), one.source.messages]),
    limit,
  );
}

/** Texts with their messages added up, the most first. */
export function mostMessages(counted: readonly (readonly [string, number])[], limit: number): [string, number][] {
  const counts = new Map<string, number>();
  for (const [text, messages] of counted) counts.set(text, (counts.get(text) ?? 0) + messages);
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, limit);
}

/** Why the failing mail has its class comes first. */
function evidenceOf(group: readonly JudgedSource[]): SenderService['evidence'] {
  const failing = group.filter((one) => one.class !== 'passes');
  const codes = new Map(group.map(({ evidence }) => [explainEvidence(evidence), evidence.code]));
  const texts = [failing, group].flatMap((some) =>
    most(some, ({ evidence }) => explainEvidence(evidence), MAX_EVIDENCE),
  );
  const distinct = [...new Map(texts).entries()].slice(0, MAX_EVIDENCE);
  return distinct.map(([text, messages]) => ({ code: codes.get(text) ?? '', text: shown(text), messages }));
}
