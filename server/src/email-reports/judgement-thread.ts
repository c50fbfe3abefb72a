/** Adds up the rows of a domain's reports and judges them: see `judgement`. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseAddress } from '@whence/dataset/address';
import { formatPrefix } from '@whence/dataset/prefix';
import type { Resolver } from '@whence/email/dns';
import type { JudgedSource } from '@whence/email/reports/classes';
import {
  type CheckedZone,
  compileZone,
  createPlaces,
  type JudgedSenders,
  judgeSenders,
  type SenderNetwork,
} from '@whence/email/reports/judge';
import { readFromNames } from '@whence/email/reports/named-records';
import { senderHistory } from '@whence/email/reports/sender-history';
import { rowsOfService } from '@whence/email/reports/summarize';
import { dayAfter } from '@whence/email/reports/verdict';
import type { RowLines } from '../storage/stores/report-store.ts';
import type {
  AskedQuestion,
  Judgement,
  JudgementTask,
  Question,
  Reply,
  ThreadMessage,
  Zone,
} from './judgement.ts';
import { AddressPlaces, DetailedPlaces, SourceSums } from './source-sums.ts';

/** One or two milliseconds of the process. */
const NETWORKS_AT_ONCE = 500;
/**
 * Addresses of one network that are loaded, more than one organization has servers there; and of all
 * networks together.
 */
const MAX_NEIGHBOURS = 32;
const MAX_ALL_NEIGHBOURS = 5_000;

const waiting = new Map<number, (value: unknown) => void>();
let lastId = 0;
const send = (message: ThreadMessage) => parentPort?.postMessage(message);
parentPort?.on('message', ({ id, value }: Reply) => {
  waiting.get(id)?.(value);
  waiting.delete(id);
});

function ask(question: Question): Promise<unknown> {
  const id = ++lastId;
  const asked: AskedQuestion = { id, question };
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    send(asked);
  });
}

// Passed by `judgeInThread`, the only caller.
const task = workerData as JudgementTask;
const { domain, from, to, window, shapes, decisions, asked } = task;
const zone = (findings: CheckedZone['findings'], name: Zone) =>
  compileZone({ findings, resolver: resolverOf(name) });
const present = await zone(task.present, 'present');
const changed = task.changed && (await zone(task.changed, 'changed'));
const networks = createNetworks();
const senders = new Set(task.senders);

async function answer(): Promise<Judgement> {
  const { placeOf, isNamed } = createPlaces(
    networks.of,
    decisions,
    present,
    await readFromNames(domain, [...shapes.values()], present.resolver),
    ...(changed === undefined ? [] : [changed]),
  );
  const isSender = (address: string) => senders.has(address) || isNamed(address);
  const { load, forget, of } = networks;
  const isNeighbour = createNeighbours(task.senders);
  const networkOf = (address: string) =>
    isNeighbour(address) ? address : `${of(address).id} ${of(address).realm}`;
  const places = new AddressPlaces({ prepare: load, forget, isSender, placeOf, networkOf });
  const judged = await judge(places);
  const history = senderHistory(judged.judged, from, to);
  const { report, quarantine } = judged;
  const { service } = task;
  if (service === undefined) return { answer: report, quarantine, history };
  const rows = rowsOfService(
    await judgeService(service, judged, places),
    service,
    (address) => of(address).name,
  );
  return { answer: { ...report, rows }, quarantine, history };
}

/** Its mail, address by address, classified as in the judgement. */
async function judgeService(
  service: string,
  { judged, judgeSource }: JudgedSenders,
  places: AddressPlaces,
): Promise<JudgedSource[]> {
  const wanted = new Set<string>();
  for (const { sender, source } of judged) if (sender.id === service) wanted.add(source.address);
  const detailed = new DetailedPlaces(places, wanted);
  const sources = await add(new SourceSums(from, to, shapes, detailed), from, to);
  await networks.load(sources.map(({ address }) => address));
  return sources.map(judgeSource);
}

/**
 * Addresses beside the domain's senders are judged one by one, because their number says whether
 * they are the domain's, and a person may decide about one of them.
 */
function createNeighbours(known: readonly string[]): (address: string) => boolean {
  const blocks = new Set(known.map(blockOf));
  const neighbours = new Set<string>();
  const counts = new Map<string, number>();
  return (address) => {
    if (neighbours.has(address)) return true;
    const block = blockOf(address);
    const count = counts.get(block) ?? 0;
    const isFull = count === MAX_NEIGHBOURS || neighbours.size === MAX_ALL_NEIGHBOURS;
    if (isFull || !blocks.has(block)) return false;
    counts.set(block, count + 1);
    neighbours.add(address);
    return true;
  };
}

/** Its /24 or /48. */
function blockOf(text: string): string {
  if (!text.includes(':')) return text.slice(0, text.lastIndexOf('.'));
  const address = parseAddress(text);
  return address === undefined ? text : formatPrefix(address, 48);
}

/** Networks of the addresses that have been loaded. */
function createNetworks() {
  const byAddress = new Map<string, SenderNetwork>();
  const interned = new Map<string, SenderNetwork>();
  return {
    async load(addresses: readonly string[]): Promise<void> {
      for (let at = 0; at < addresses.length; at += NETWORKS_AT_ONCE) {
        const some = addresses.slice(at, at + NETWORKS_AT_ONCE);
        // What `createAnswers` returns for this kind.
        const found = (await ask({ kind: 'networks', addresses: some })) as SenderNetwork[];
        for (const [i, network] of found.entries()) {
          const key = `${network.id} ${network.realm}`;
          const known = interned.get(key) ?? network;
          interned.set(key, known);
          byAddress.set(some[i] ?? '', known);
        }
      }
    },
    forget: (address: string) => byAddress.delete(address),
    of(address: string): SenderNetwork {
      return (
        byAddress.get(address) ?? {
          id: address,
          name: address,
          realm: address,
          isOfOne: false,
        }
      );
    },
  };
}

/** DNS is asked by the process, which has a cache and a deadline. */
function resolverOf(zone: Zone): Resolver {
  const asker = (_: object, method: string) =>
    method === 'then'
      ? undefined
      : (...args: string[]) => ask({ kind: 'dns', zone, method: method as keyof Resolver, args });
  // Answers are plain data: what the resolver of the process returns.
  return new Proxy({}, { get: asker }) as Resolver;
}

async function judge(places: AddressPlaces): Promise<JudgedSenders> {
  const sources = await add(new SourceSums(from, to, shapes, places), from, to);
  const { earlierFrom } = task;
  const before = dayAfter(from, -1);
  // Mail from elsewhere counts before the period only where a person says that it is the domain's.
  const hasDecidedOurs = [...decisions.values()].includes('ours');
  const earlier =
    earlierFrom === undefined
      ? []
      : await add(
          new SourceSums(earlierFrom, before, shapes, places, { hasOthers: hasDecidedOurs }),
          earlierFrom,
          before,
        );
  return judgeSenders({
    domain,
    from,
    to,
    window: { ...window, sources },
    earlier,
    hasOlderReports: task.hasOlderReports,
    decisions,
    asked,
    present,
    ...(changed !== undefined && { changed }),
    networkOf: networks.of,
  });
}

/** The next rows are read while these are added. */
async function add(sums: SourceSums, first: string, last: string) {
  const reader = ++lastId;
  const question = { kind: 'rows', from: first, to: last, reader } as const;
  // What `createAnswers` returns for this kind.
  const read = () => ask(question) as Promise<readonly RowLines[] | undefined>;
  let next = read();
  for (let parts = await next; parts !== undefined; parts = await next) {
    next = read();
    for (const part of parts) await sums.add(part);
  }
  return sums.sources();
}

send({ judgement: await answer() });
parentPort?.close();
