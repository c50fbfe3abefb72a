/**
 * Reads a posted body in a thread: 10 MiB can unpack to 200, which takes seconds. So does a flood,
 * which is told apart by DNS.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Resolver } from '@whence/email/dns';
import type { PreparedReport } from '../storage/prepared-report.ts';
import { type ReadItem, readInput, readMailed, withDns } from './read-input.ts';
import { type FloodTask, PublishedSenders, sumFlood } from './report-flood.ts';

export type ImportTask = {
  readonly bytes: Uint8Array;
  readonly dnsServers: readonly string[];
  readonly nowMs: number;
  readonly keepDays: number;
  readonly keyId: string;
};

/**
 * Messages of a mailbox. The answer has the items of each, or is `no_dns`: a report that is not
 * proven now may be once DNS answers again.
 */
export type MailTask = Omit<ImportTask, 'bytes'> & {
  readonly messages: readonly Uint8Array[];
  readonly maxMessageBytes: number;
};

/** Reports with rows that are too many to be kept one by one. */
type SumTask = { readonly floods: readonly FloodTask[]; readonly dnsServers: readonly string[] };
export type ThreadTask = ImportTask | MailTask | SumTask;

/** Whatever the answer is, it is one. */
const ANY_NAME = 'example.com';
/** Processor time: about ten times what 200,000 rows take. */
const MAX_MS = 60_000;

parentPort?.postMessage(MAX_MS);
// Passed by ReportImports, the only caller.
const task = workerData as ThreadTask;
const { dnsServers } = task;
await withDns(dnsServers, async (resolverFor) => {
  if ('floods' in task) {
    const published = new PublishedSenders(resolverFor);
    const summed: PreparedReport[] = [];
    for (const flood of task.floods) summed.push(await sumFlood(flood, published));
    parentPort?.postMessage(summed);
    return;
  }
  if ('messages' in task) {
    parentPort?.postMessage(await readMessages(task, resolverFor));
    return;
  }
  const { bytes, ...options } = task;
  const items: ReadItem[] = [];
  for await (const item of readInput('', Buffer.from(bytes), { ...options, resolverFor }))
    items.push(item);
  parentPort?.postMessage(items);
});

async function readMessages(
  { messages, maxMessageBytes, ...options }: MailTask,
  resolverFor: (domain: string) => Resolver,
): Promise<ReadItem[][] | 'no_dns'> {
  const items: ReadItem[][] = [];
  for (const message of messages) {
    let isUnanswered = false;
    const asking = (domain: string) => ({
      txt: async (name: string) => {
        const answer = await resolverFor(domain).txt(name);
        if (answer.kind === 'failure') isUnanswered = true;
        return answer;
      },
    });
    const own: ReadItem[] = [];
    const reading = { ...options, resolverFor: asking };
    for await (const item of readMailed(Buffer.from(message), maxMessageBytes, reading))
      own.push(item);
    // A name of the sender alone may fail for ever.
    if (isUnanswered && (await resolverFor(ANY_NAME).txt(ANY_NAME)).kind === 'failure')
      return 'no_dns';
    items.push(own);
  }
  return items;
}
