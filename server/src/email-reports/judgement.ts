/**
 * One judgement, in a thread with limits of time and memory. The thread asks this process for what
 * only the process has: rows of storage, networks of addresses, and answers of DNS.
 */
import type { Worker } from 'node:worker_threads';
import { startThread } from '@whence/dataset/io/thread';
import type { Resolver } from '@whence/email/dns';
import type { ReportShape, SeenWindow, SenderDecision } from '@whence/email/reports';
import type { AskedPolicy } from '@whence/email/reports/asked-policy';
import type {
  CheckedZone,
  JudgedSenders,
  SenderNetwork,
  SendersReport,
} from '@whence/email/reports/judge';
import type { SenderHistory } from '@whence/email/reports/sender-history';
import type { SenderRow } from '@whence/email/reports/summarize';
import type { RowLines } from '../storage/stores/report-store.ts';

export type SendersAnswer = { [Field in keyof WithRows]: WithRows[Field] };
type WithRows = SendersReport & { rows?: SenderRow[] };
/** The answer, and what is judged besides. */
export type Judgement = Pick<JudgedSenders, 'quarantine'> & {
  readonly answer: SendersAnswer;
  readonly history: SenderHistory;
};

export type JudgementTask = {
  readonly domain: string;
  readonly from: string;
  readonly to: string;
  /** Where the days before the period begin; undefined without reports of them. */
  readonly earlierFrom: string | undefined;
  readonly hasOlderReports: boolean;
  readonly window: SeenWindow;
  readonly shapes: ReadonlyMap<number, ReportShape>;
  /** Addresses from which mail of the domain has come. */
  readonly senders: readonly string[];
  readonly decisions: ReadonlyMap<string, SenderDecision>;
  readonly asked: AskedPolicy | undefined;
  readonly present: CheckedZone['findings'];
  readonly changed: CheckedZone['findings'] | undefined;
  /** Its addresses are judged one by one. */
  readonly service: string | undefined;
};

export type Zone = 'present' | 'changed';
/** What the thread asks, with its number. */
export type Question =
  | { readonly kind: 'rows'; readonly from: string; readonly to: string; readonly reader: number }
  | { readonly kind: 'networks'; readonly addresses: readonly string[] }
  | {
      readonly kind: 'dns';
      readonly zone: Zone;
      readonly method: keyof Resolver;
      readonly args: readonly string[];
    };
export type AskedQuestion = { readonly id: number; readonly question: Question };
export type ThreadMessage = AskedQuestion | { readonly judgement: Judgement };
export type Reply = { readonly id: number; readonly value: unknown };

type JudgementSources = {
  readonly rows: (from: string, to: string) => AsyncGenerator<RowLines[]>;
  readonly networkOf: (address: string) => SenderNetwork;
  readonly resolvers: Readonly<Record<Zone, Resolver>>;
};

/** The judgement of 200,000 addresses takes 90 MB. */
const MAX_HEAP_MB = 128;
/** The default grows to three times as much, and saves no time. */
const YOUNG_HEAP_MB = 16;

export class JudgementTooLarge extends Error {
  override name = 'JudgementTooLarge';
}

export function judgeInThread(
  task: JudgementTask,
  sources: JudgementSources,
  signal: AbortSignal,
): Promise<Judgement> {
  signal.throwIfAborted();
  const worker = startThread(new URL('./judgement-thread.js', import.meta.url), {
    workerData: task,
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_HEAP_MB,
      maxYoungGenerationSizeMb: YOUNG_HEAP_MB,
    },
  });
  const answer = createAnswers(sources);
  return new Promise<Judgement>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.on('message', (message: ThreadMessage) => {
      if ('judgement' in message) resolve(message.judgement);
      else void reply(worker, message, answer, reject);
    });
    worker.once('error', (error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      reject(isTooLarge ? new JudgementTooLarge('the judgement takes too much memory') : error);
    });
    worker.once('exit', (code) => {
      signal.removeEventListener('abort', onAbort);
      reject(new Error(`the thread of a judgement ended with code ${code}`));
    });
  }).finally(() => worker.terminate());
}

async function reply(
  worker: Worker,
  { id, question }: AskedQuestion,
  answer: (question: Question) => Promise<unknown>,
  fail: (error: unknown) => void,
): Promise<void> {
  try {
    worker.postMessage({ id, value: await answer(question) } satisfies Reply);
  } catch (error) {
    fail(error);
  }
}

function createAnswers({ rows, networkOf, resolvers }: JudgementSources) {
  const readers = new Map<number, AsyncGenerator<RowLines[]>>();
  return async (question: Question): Promise<unknown> => {
    switch (question.kind) {
      case 'rows': {
        const { reader, from, to } = question;
        const reading = readers.get(reader) ?? rows(from, to);
        readers.set(reader, reading);
        const { value, done } = await reading.next();
        return done === true ? undefined : value;
      }
      case 'networks':
        return question.addresses.map(networkOf);
      case 'dns': {
        const resolver = resolvers[question.zone];
        // Every method takes a name, and some a second text.
        const ask = resolver[question.method] as (...args: string[]) => Promise<unknown>;
        return ask.apply(resolver, [...question.args]);
      }
    }
  };
}
