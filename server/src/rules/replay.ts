/** What the rules of a set would have done to requests, for the command and the dashboard. */
import { type Address, formatAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import type { LogEntry } from '../access-log/log-entry.ts';
import { type Decider, type Facts, factsOf, requestOf, ruleRecord, withRequest } from './decide.ts';
import type { Action, Rule } from './rule-sets.ts';

/** Clients beyond these are counted as requests only. */
const MAX_CLIENTS = 1_000_000;
const MAX_NETWORKS = 10;
const REFUSED = -1;
const SUCCESSFUL = -2;

/** Refused requests that a person would not want to refuse. */
export const REFUSED_GROUPS = ['verified_crawlers', 'known_good', 'homes', 'successful'] as const;
export type RefusedGroup = (typeof REFUSED_GROUPS)[number];

type Count = { requests: number; clients: number };

export type ReplayReport = {
  set: string;
  lines: number;
  /** Lines without a client. */
  unreadable: number;
  clients: number;
  /** In the order of the set, the default last. Shares are of the requests. */
  rules: (Count & { rule: string | null; action: Action; share: number })[];
  refused: Count & { share: number } & Record<RefusedGroup, Count> & {
      /** The largest. */
      networks: (Count & { asn: number; asn_name: string })[];
    };
};

type Client = {
  readonly facts: Facts;
  /** Fields that a source has decided. */
  readonly decided: readonly string[];
  readonly isHome: boolean;
  /**
   * What has counted it: a position of a rule, where the default has that after the last, REFUSED
   * or SUCCESSFUL.
   */
  readonly countedBy: number[];
};

export class Replay {
  readonly #decider: Decider;
  readonly #dataset: Dataset;
  /** IPv4 addresses as numbers, which is faster than as text. */
  readonly #clients = new Map<number | string, Client>();
  /** Fields by set of attributes. */
  readonly #decided = new Map<number, readonly string[]>();
  readonly #rules: Count[];
  readonly #positions: ReadonlyMap<Rule, number>;
  readonly #groups = Object.fromEntries(REFUSED_GROUPS.map((name) => [name, none()])) as Record<
    RefusedGroup,
    Count
  >;
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

  /**
   * Undefined for a line without a client. Returns the position of the rule that decides, where the
   * default has that after the last.
   */
  add(entry: LogEntry | undefined): number | undefined {
    if (entry === undefined) {
      this.#unreadable++;
      return undefined;
    }
    const client = this.#clientOf(entry.address);
    const { decision, rule } = this.#decider.decide(withRequest(client.facts, requestOf(entry)));
    const at = (rule && this.#positions.get(rule)) ?? this.#rules.length - 1;
    count(this.#rules[at], isFirst(client, at));
    if (decision !== 'allow') this.#addRefused(entry, client);
    return at;
  }

  #addRefused({ status }: LogEntry, client: Client): void {
    const isNew = isFirst(client, REFUSED);
    count(this.#refused, isNew);
    if (client.decided.includes('crawler')) count(this.#groups.verified_crawlers, isNew);
    if (client.decided.includes('known_good')) count(this.#groups.known_good, isNew);
    if (client.isHome) count(this.#groups.homes, isNew);
    if (status !== undefined && status < 400)
      count(this.#groups.successful, isFirst(client, SUCCESSFUL));
    const { record } = client.facts;
    if (record === undefined) return;
    const network = this.#networks.get(record.asn) ?? none();
    this.#networks.set(record.asn, network);
    count(network, isNew);
  }

  report(lines: number): ReplayReport {
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
      .map(([asn, counts]) => ({
        asn,
        ...counts,
        asn_name: this.#dataset.asn(asn)?.asn_name ?? '',
      }));
    return {
      set: set.name,
      lines,
      unreadable: this.#unreadable,
      clients: this.#clients.size,
      rules,
      refused: {
        ...this.#refused,
        share: share(this.#refused.requests),
        ...this.#groups,
        networks,
      },
    };
  }

  #clientOf(address: Address): Client {
    const key = address.version === 4 ? address.w0 : formatAddress(address);
    const earlier = this.#clients.get(key);
    if (earlier !== undefined) return earlier;
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
      isHome:
        record !== undefined && (record.detection.is_residential || record.detection.is_mobile),
      countedBy: [],
    };
  }

  #decidedIn(attributes: number): readonly string[] {
    const earlier = this.#decided.get(attributes);
    if (earlier !== undefined) return earlier;
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
