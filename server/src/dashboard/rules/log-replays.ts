/**
 * Replays of a pasted log: what the rules in use would have done to its requests, with some of
 * them. One at a time, in slices of the event loop.
 */
import { formatAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { contentOf, type LogEntry, parseLogLine, whyUnread } from '../../access-log/log-entry.ts';
import { ApiError } from '../../http/errors.ts';
import { CostQueue, type Requester, type Slot } from '../../limits/cost-classes.ts';
import { letOthersWork } from '../../lookup/event-loop-slices.ts';
import type { Decider } from '../../rules/decide.ts';
import { Replay } from '../../rules/replay.ts';
import { type DashboardRefusal, invalid } from '../requests/refusal.ts';
import type { LoggedRequest, ReplayedLog } from '../wire/rules.ts';

/** Logs that wait are in memory. */
const QUEUE = { waitingPerKey: 2, waiting: 8 };
const SLICE_MS = 2;
const MAX_LINES = 100_000;
/** A line of JSON is parsed at once. */
const MAX_LINE_BYTES = 64 * 1024;
const MAX_EXAMPLES = 3;
const SHOWN_CHARACTERS = 80;
const LINE_BREAK = 0x0a;

export class LogReplays {
  readonly #queue = new CostQueue('scan', QUEUE);

  run(log: Buffer, decider: Decider, dataset: Dataset, requester: Requester): Promise<ReplayedLog> {
    return this.#queue.run(
      requester,
      async (slot) => {
        const replay = new LogReplay(log, decider, dataset);
        await inSlices(replay, slot);
        return replay.report();
      },
      (reason) => {
        throw reason === 'overdue' ? takesTooLong() : new ApiError('QUEUE_FULL');
      },
    );
  }
}

async function inSlices(replay: LogReplay, { signal, leftMs }: Slot): Promise<void> {
  for (let endsMs = performance.now() + SLICE_MS; replay.addLine(); ) {
    if (performance.now() < endsMs) continue;
    await letOthersWork(SLICE_MS);
    // A client that has left reads no answer.
    if (signal.aborted || leftMs() <= 0) throw takesTooLong();
    endsMs = performance.now() + SLICE_MS;
  }
}

const takesTooLong = (): DashboardRefusal =>
  invalid('/log', 'the replay takes too long; send fewer lines, or use wh decide replay');

class LogReplay {
  readonly #log: Buffer;
  readonly #replay: Replay;
  /** By position of the rule. */
  readonly #examples = new Map<number, LoggedRequest[]>();
  #firstUnread: ReplayedLog['first_unread'];
  #at = 0;
  /** Empty ones included, as an editor numbers them. */
  #line = 0;
  #lines = 0;

  constructor(log: Buffer, decider: Decider, dataset: Dataset) {
    this.#log = log;
    this.#replay = new Replay(decider, dataset);
  }

  /** False at the end. */
  addLine(): boolean {
    if (this.#at >= this.#log.length) return false;
    const lineBreak = this.#log.indexOf(LINE_BREAK, this.#at);
    const next = lineBreak === -1 ? this.#log.length : lineBreak;
    const [start, end] = contentOf(this.#log, this.#at, next);
    this.#at = next + 1;
    this.#line++;
    if (this.#line > MAX_LINES)
      throw invalid('/log', `at most ${MAX_LINES.toLocaleString('en')} lines`);
    if (start < end) this.#add(start, end);
    return true;
  }

  report(): ReplayedLog {
    const { rules, ...report } = this.#replay.report(this.#lines);
    return {
      ...report,
      rules: rules.map((rule, at) => ({ ...rule, examples: this.#examples.get(at) ?? [] })),
      ...(this.#firstUnread && { first_unread: this.#firstUnread }),
    };
  }

  #add(start: number, end: number): void {
    this.#lines++;
    const isTooLong = end - start > MAX_LINE_BYTES;
    const entry = isTooLong ? undefined : parseLogLine(this.#log, start, end);
    const decidedBy = this.#replay.add(entry);
    if (entry !== undefined && decidedBy !== undefined) this.#addExample(entry, decidedBy);
    else
      this.#firstUnread ??= {
        line: this.#line,
        reason: isTooLong ? 'is longer than 64 KiB' : whyUnread(this.#log, start, end),
        text: shown(this.#log.toString('utf8', start, Math.min(end, start + SHOWN_CHARACTERS))),
      };
  }

  #addExample({ address, method, path }: LogEntry, decidedBy: number): void {
    const examples = this.#examples.get(decidedBy) ?? [];
    this.#examples.set(decidedBy, examples);
    if (examples.length === MAX_EXAMPLES) return;
    examples.push({
      line: this.#line,
      ip: formatAddress(address),
      ...(method !== undefined && { method: shown(method) }),
      ...(path !== undefined && { path: shown(path) }),
    });
  }
}

/** The beginning, without characters that have no shape or change the direction of others. */
const shown = (text: string) => text.slice(0, SHOWN_CHARACTERS).replaceAll(/\p{C}/gu, '\u{fffd}');
