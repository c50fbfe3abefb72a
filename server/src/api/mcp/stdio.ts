// MCP on standard input and output, a message per line. Answers come in any order; cancelled calls
// get none. Line length and calls at once are bounded.
import { MAX_BODY_BYTES } from '../../http/limits.ts';
import { isObject } from '../../http/validators.ts';
import { answerMessage, type Call } from './answers.ts';
import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  MESSAGE_LIMITS,
  PARSE_ERROR,
  parseMessage,
  refuse,
} from './protocol.ts';

type StdioOptions = {
  /** Resolves when more may be written. */
  readonly write: (text: string) => Promise<void>;
  readonly ask: (request: Call['request'], signal: AbortSignal) => Promise<string>;
  readonly isThreatKnown: (ip: string) => boolean;
  readonly onFailure: (error: unknown) => void;
};

type Running = {
  readonly id: Call['id'];
  readonly abort: AbortController;
  ended: Promise<unknown>;
};

const MAX_RUNNING = 32;

/** Resolves when the input has ended and everything is answered. */
export async function serveStdio(
  input: AsyncIterable<Buffer>,
  { write, ask, isThreatKnown, onFailure }: StdioOptions,
): Promise<void> {
  const running = new Set<Running>();

  const finish = async ({ id, abort: { signal } }: Running, call: Call) => {
    try {
      const body = await ask(call.request, signal);
      const answer = call.finish({ retryAfter: undefined, body, isThreatKnown });
      if (!signal.aborted) await send(answer.text);
    } catch (error) {
      if (signal.aborted) return;
      onFailure(error);
      await send(refuse(id, INTERNAL_ERROR, 'internal error').text);
    }
  };
  const send = async (text: string | undefined) => {
    if (text !== undefined) await write(`${text}\n`);
  };

  for await (const line of linesOf(input)) {
    const parsed = line === undefined ? ({ problem: 'too large' } as const) : parseMessage(line);
    if ('problem' in parsed) {
      const isJson = parsed.problem === 'too large';
      await send(
        refuse(null, isJson ? INVALID_REQUEST : PARSE_ERROR, isJson ? MESSAGE_LIMITS : 'not JSON')
          .text,
      );
      continue;
    }
    const answer = answerMessage(parsed.value);
    if (!('request' in answer)) {
      const cancelled = cancelledId(parsed.value);
      for (const { id, abort } of running) if (id === cancelled) abort.abort();
      await send(answer.text);
      continue;
    }
    while (running.size >= MAX_RUNNING) await Promise.race([...running].map(({ ended }) => ended));
    const started: Running = {
      id: answer.id,
      abort: new AbortController(),
      ended: Promise.resolve(),
    };
    running.add(started);
    started.ended = finish(started, answer).finally(() => running.delete(started));
  }
  await Promise.all([...running].map(({ ended }) => ended));
}

function cancelledId(message: unknown): unknown {
  if (!isObject(message) || message['method'] !== 'notifications/cancelled') return undefined;
  return isObject(message['params']) ? message['params']['requestId'] : undefined;
}

/** Lines that are not empty; undefined for one that is too long, which is not kept. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const line = () => (bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(parts));
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); ; end = chunk.indexOf('\n', from)) {
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      bytes += part.length;
      if (bytes > MAX_BODY_BYTES) parts = [];
      else parts.push(part);
      if (end < 0) break;
      from = end + 1;
      if (bytes > 0) yield line();
      parts = [];
      bytes = 0;
    }
  }
  // The last line may have no line break.
  if (bytes > 0) yield line();
}
