/** Judged rows as people read them: by service, by day, and the rows behind one service. */
import { cutText, visible } from '../../visible-text.ts';
import type { SenderDecision } from '../report.ts';
import { explainEvidence, type JudgedSource } from './classify.ts';
import { SENDER_CLASSES, type SenderClass } from './sender-class.ts';
import type { Sender } from './sender-places.ts';
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
  /** Parts of the sender that a person can decide about, those that fail first. */
  accounts: SenderAccount[];
  first_seen: string;
  last_seen: string;
  networks: string[];
  evidence: { code: string; text: string; messages: number }[];
  decision?: SenderDecision;
};

/** `id` is that of a decision. */
export type SenderAccount = Pick<
  SenderService,
  'id' | 'name' | 'class' | 'messages' | 'passed' | 'last_seen' | 'decision'
>;

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
const MAX_ACCOUNTS = 20;
/** What fails decides, in this order. */
const BY_WEIGHT = [
  'ours_broken',
  'at_named_service',
  'undecided',
  'forwarded',
  'not_ours',
  'passes',
] as const;

/** Reports are texts of others. */
const shown = (text: string) => cutText(visible(text), MAX_CHARACTERS);
const MAX_CHARACTERS = 300;

export type SummaryOptions = {
  readonly networkName: (address: string) => string;
  readonly decisions: ReadonlyMap<string, SenderDecision>;
};

const noMessages = (): Record<SenderClass, number> =>
  Object.fromEntries(SENDER_CLASSES.map((name) => [name, 0])) as Record<SenderClass, number>;

/** What needs a repair or a decision, then what is or was the domain's, then what is forged. */
function rankOf(classes: Record<SenderClass, number>): number {
  if (classes.ours_broken + classes.at_named_service + classes.undecided > 0) return 0;
  return classes.passes + classes.forwarded > 0 ? 1 : 2;
}

function accountsOf(
  group: readonly JudgedSource[],
  decisions: SummaryOptions['decisions'],
): SenderAccount[] {
  const accounts = groupsBy(
    group.filter(({ sender }) => sender.account !== ''),
    ({ accountId }) => accountId,
  );
  return accounts.slice(0, MAX_ACCOUNTS).map((account) => ({
    ...describe(account, decisions),
    name: shown(account.rows[0]?.sender.account ?? ''),
    last_seen: seen(account.rows).last_seen,
  }));
}

/** `left_out`: services beyond those that are listed, which are of the least use. */
export function summarizeServices(
  judged: readonly JudgedSource[],
  { networkName, decisions }: SummaryOptions,
): { services: SenderService[]; left_out: number } {
  const groups = groupsBy(judged, ({ id }) => id);
  const services = groups.slice(0, MAX_SERVICES).map((group): SenderService => {
    const { id, rows, classes } = group;
    return {
      ...describe(group, decisions),
      name: shown(rows[0]?.sender.name ?? id),
      spf_passed: sum(rows, ({ source }) => source.spfPassed),
      dkim_passed: sum(rows, ({ source }) => source.dkimPassed),
      forwarded: sum(
        rows,
        ({ evidence }) => evidence.code === 'dkim_passed' && evidence.isForwarded,
      ),
      classes,
      accounts: accountsOf(rows, decisions),
      ...seen(rows),
      networks: networksOf(rows, networkName),
      evidence: evidenceOf(rows),
    };
  });
  return { services, left_out: groups.length - services.length };
}

type Group = ReturnType<typeof groupsBy>[number];

/** By sender or account, in the order of `rankOf`, then the most messages first. */
function groupsBy(judged: readonly JudgedSource[], idOf: (sender: Sender) => string) {
  const groups = new Map<string, JudgedSource[]>();
  for (const row of judged) {
    const id = idOf(row.sender);
    const rows = groups.get(id);
    if (rows === undefined) groups.set(id, [row]);
    else rows.push(row);
  }
  const counted = [...groups].map(([id, rows]) => ({ id, rows, ...countClasses(rows) }));
  return counted.sort(
    (a, b) => a.rank - b.rank || b.messages - a.messages || (a.id < b.id ? -1 : 1),
  );
}

function describe({ id, classes, messages }: Group, decisions: SummaryOptions['decisions']) {
  const decision = decisions.get(id);
  return {
    id: shown(id),
    class: BY_WEIGHT.find((name) => classes[name] > 0) ?? 'passes',
    messages,
    passed: classes.passes,
    ...(decision !== undefined && { decision }),
  };
}

/** Days without mail are left out. */
export function summarizeDays(judged: readonly JudgedSource[]): SenderDay[] {
  const periods = new Map<string, SenderDay[]>();
  for (const { source, class: senderClass } of judged) {
    const period = periods.get(source.start) ?? [];
    periods.set(source.start, period);
    for (const { day: number, messages } of source.daily) {
      const day = period[number] ?? { day: dayAfter(source.start, number), ...noMessages() };
      day[senderClass] += messages;
      period[number] = day;
    }
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

function countClasses(group: readonly JudgedSource[]) {
  const classes = noMessages();
  let messages = 0;
  for (const { class: senderClass, source } of group) {
    classes[senderClass] += source.messages;
    messages += source.messages;
  }
  return { classes, messages, rank: rankOf(classes) };
}

function sum(group: readonly JudgedSource[], isCounted: (row: JudgedSource) => boolean): number {
  return group.reduce((total, row) => total + (isCounted(row) ? row.source.messages : 0), 0);
}

function seen(group: readonly JudgedSource[]): { first_seen: string; last_seen: string } {
  let [first, last] = ['9999-12-31', ''];
  for (const { source } of group) {
    if (source.firstDay < first) first = source.firstDay;
    if (source.lastDay > last) last = source.lastDay;
  }
  return { first_seen: first, last_seen: last };
}

function networksOf(
  group: readonly JudgedSource[],
  networkName: (address: string) => string,
): string[] {
  const counts = new Map<string, number>();
  for (const { source } of group) count(counts, networkName(source.address), source.messages);
  return most(counts, MAX_NETWORKS).map(([name]) => name);
}

/** Texts with their messages added up, the most first. */
export function mostMessages(
  counted: readonly (readonly [string, number])[],
  limit: number,
): [string, number][] {
  const counts = new Map<string, number>();
  for (const [text, messages] of counted) count(counts, text, messages);
  return most(counts, limit);
}

function count(counts: Map<string, number>, text: string, messages: number): void {
  counts.set(text, (counts.get(text) ?? 0) + messages);
}

function most(counts: ReadonlyMap<string, number>, limit: number): [string, number][] {
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, limit);
}

/** Why the failing mail has its class comes first. */
function evidenceOf(group: readonly JudgedSource[]): SenderService['evidence'] {
  const codes = new Map<string, string>();
  const failing = new Map<string, number>();
  const all = new Map<string, number>();
  for (const { class: senderClass, evidence, source } of group) {
    const text = explainEvidence(evidence);
    codes.set(text, evidence.code);
    if (senderClass !== 'passes') count(failing, text, source.messages);
    count(all, text, source.messages);
  }
  const texts = [failing, all].flatMap((counts) => most(counts, MAX_EVIDENCE));
  const distinct = [...new Map(texts).entries()].slice(0, MAX_EVIDENCE);
  return distinct.map(([text, messages]) => ({
    code: codes.get(text) ?? '',
    text: shown(text),
    messages,
  }));
}
