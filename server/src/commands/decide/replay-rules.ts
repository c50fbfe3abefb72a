/** `wh decide replay rules.yaml access.log`: what the rules would have done to the requests of a log. */
import { type Address, formatAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { noteWaiting } from '../../enrich/input.ts';
import { type Decider, type Facts, factsOf, requestOf, ruleRecord, withRequest } from '../../rules/decide.ts';
import type { Rule } from '../../rules/rule-sets.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine, printable } from '../../terminal/printable.ts';
import { fit, type Style } from '../../terminal/style.ts';
import { type Cell, countOf, formatCount, formatTable } from '../../terminal/table.ts';
import { type LogEntry, readLog } from '../crawlers/log-entry.ts';
import type { DataSettings } from '../embedded-data.ts';
import { openOverridden } from '../local-dataset.ts';
import { openDecider, openRules } from './check-rules.ts';

export type ReplayOptions = { set?: string; json?: boolean; maxRefused?: number };

/** Clients beyond these are counted as requests only. */
const MAX_CLIENTS = 1_000_000;
const MAX_NETWORKS = 10;
const REFUSED = -1;
const SUCCESSFUL = -2;

type Count = { requests: number; clients: number };
type Client = {
  readonly facts: Facts;
  /** Fields that a source has decided. */
  readonly decided: readonly string[];
  readonly isHome: boolean;
  /** What has counted it: a position of a rule, where the default has that after the last, REFUSED or SUCCESSFUL. */
  readonly countedBy: number[];
};

/** Groups of refused requests that a person would not want to refuse. */
const GROUPS = {
  verified_crawlers: 'verified crawlers',
  known_good: 'monitoring and other services that are known to be good',
  homes: 'home and mobile connections',
  successful: 'requests that were answered with success',
} as const;
type Group = keyof typeof GROUPS;

export async function replayRules(
  path: string,
  log: string,
  { set, json = false, maxRefused }: ReplayOptions,
  settings: DataSettings,
  streams: CommandStreams,
): Promise<ExitCode> {
  const file = await openRules(path);
  const dataset = await openOverridden(settings);
  const replay = new Replay(openDecider(file, path, set, dataset), dataset);
  noteWaiting(log, streams, 'a log');
  const report = replay.report(await readLog(log, streams.stdin, (entry) => replay.add(entry)));
  streams.stdout.write(json ? jsonLine(report) : textOf(report, fit(streams)));
  const isTooMuch = maxRefused !== undefined && report.refused.share > maxRefused;
  if (isTooMuch)
    streams.stderr.write(`${percent(report.refused.share)} would be refused, more than ${percent(maxRefused)}\n`);
  return isTooMuch ? 1 : 0;
}

class Replay {
  readonly #decider: Decider;
  readonly #dataset: Dataset;
  /** IPv4 addresses as numbers, which is faster than as text. */
  readonly #clients = new Map<number | string, Client>();
  /** Fields by set of attributes. */
  readonly #decided = new Map<number, readonly string[]>();
  readonly #rules: Count[];
  readonly #positions: ReadonlyMap<Rule, number>;
  readonly #groups = Object.fromEntries(Object.keys(GROUPS).map((name) => [name, none()])) as Record<Group, Count>;
  readonly #networks = new Map<number, Count>();
  readonly #refused = none();
  #unreadable = 0;

  constructor(decider: Decider, dataset: Dataset) {
    this.#decider = decider;
    this.#dataset = dataset;
    const { rules } = decider.set;
    this.#rules = [...rules, undefined].map(none);
    this.#positions = new Map(rules.map((rule, i) => [rule, i]));
  }

  add(entry: LogEntry | undefined): void {
    if (entry === undefined) {
      this.#unreadable++;
      return;
    }
    const client = this.#clientOf(entry.address);
    const { decision, rule } = this.#decider.decide(withRequest(client.facts, requestOf(entry)));
    const at = (rule && this.#positions.get(rule)) ?? this.#rules.length - 1;
    count(this.#rules[at], isFirst(client, at));
    if (decision === 'allow') return;
    const isNew = isFirst(client, REFUSED);
    count(this.#refused, isNew);
    if (client.decided.includes('crawler')) count(this.#groups.verified_crawlers, isNew);
    if (client.decided.includes('known_good')) count(this.#groups.known_good, isNew);
    if (client.isHome) count(this.#groups.homes, isNew);
    if (entry.status !== undefined && entry.status < 400) count(this.#groups.successful, isFirst(client, SUCCESSFUL));
    const { record } = client.facts;
    if (record === undefined) return;
    const network = this.#networks.get(record.asn) ?? none();
    this.#networks.set(record.asn, network);
    count(network, isNew);
  }

  report(lines: number) {
    const { set } = this.#decider;
    const requests = lines - this.#unreadable;
    const share = (count: number) => (requests === 0 ? 0 : count / requests);
    const rules = this.#rules.map((counts, i) => {
      const rule = set.rules[i];
      return {
        rule: rule?.name ?? null,
        action: rule?.action ?? set.default,
        ...counts,
        share: share(counts.requests),
      };
    });
    const networks = [...this.#networks]
      .sort(([, a], [, b]) => b.requests - a.requests)
      .slice(0, MAX_NETWORKS)
      .map(([asn, counts]) => ({ asn, ...counts, asn_name: this.#dataset.asn(asn)?.asn_name ?? '' }));
    return {
      set: set.name,
      lines,
      unreadable: this.#unreadable,
      clients: this.#clients.size,
      rules,
      refused: { ...this.#refused, share: share(this.#refused.requests), ...this.#groups, networks },
    };
  }

  #clientOf(address: Address): Client {
    const key = address.version === 4 ? address.w0 : formatAddress(address);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = this.#describe(address);
    if (this.#clients.size < MAX_CLIENTS) this.#clients.set(key, client);
    return client;
  }

  #describe(address: Address): Client {
    const match = this.#dataset.find(address);
    const record = match === 0 ? undefined : ruleRecord(this.#dataset, match);
    return {
      facts: factsOf({ address }, record),
      decided: match === 0 ? [] : this.#decidedIn(this.#dataset.attributesOf(match)),
      isHome: record !== undefined && (record.detection.is_residential || record.detection.is_mobile),
      countedBy: [],
    };
  }

  #decidedIn(attributes: number): readonly string[] {
    const known = this.#decided.get(attributes);
    if (known !== undefined) return known;
    const fields = this.#dataset.decisions(attributes).map(([field]) => field);
    this.#decided.set(attributes, fields);
    return fields;
  }
}

/** Few rules count a client: a list of them takes less memory than a set. */
function isFirst({ countedBy }: Client, counter: number): boolean {
  if (countedBy.includes(counter)) return false;
  countedBy.push(counter);
  return true;
}

const none = (): Count => ({ requests: 0, clients: 0 });

function count(counts: Count | undefined, isNewClient: boolean): void {
  if (counts === undefined) return;
  counts.requests++;
  if (isNewClient) counts.clients++;
}

const percent = (share: number) => `${(share * 100).toFixed(2)} %`;

function textOf({ lines, unreadable, rules, refused }: ReturnType<Replay['report']>, style: Style): string {
  const number = (value: number, head: string) => formatCount(value).padStart(head.length);
  const rows = rules.map(({ rule, action, requests, clients, share }): Cell[] => [
    rule ?? 'default',
    action === 'deny' ? [action, style.red] : action,
    number(requests, 'requests'),
    number(clients, 'clients'),
    percent(share).padStart('share'.length + 3),
  ]);
  const groups = (Object.keys(GROUPS) as Group[])
    .filter((name) => refused[name].requests > 0)
    .map(
      (name) =>
        `  ${countOf(refused[name].requests, 'request')} of ${countOf(refused[name].clients, 'client')}: ${GROUPS[name]}\n`,
    );
  const networks = refused.networks.map(({ asn, asn_name, requests, clients }): Cell[] => [
    `AS${asn}`,
    printable(asn_name),
    number(requests, 'requests'),
    number(clients, 'clients'),
  ]);
  return [
    formatTable(rows, style, { head: ['rule', 'then', 'requests', 'clients', 'share'] }),
    `\n${countOf(lines, 'line')}, ${formatCount(unreadable)} without a client\n`,
    `refused: ${countOf(refused.requests, 'request')} (${percent(refused.share)}) of ${countOf(refused.clients, 'client')}\n`,
    ...groups,
    networks.length === 0 ? '' : `\n${formatTable(networks, style, { head: ['', 'network', 'requests', 'clients'] })}`,
  ].join('');
}
