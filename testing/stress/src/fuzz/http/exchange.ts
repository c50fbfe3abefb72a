/** Sends one case over a connection of its own and waits for what comes back. */
import { connect } from 'node:net';
import { splitAnswers } from './answers.ts';
import type { HttpCase } from './cases.ts';
import type { HttpOutcome } from './check-answer.ts';

/** After a complete answer, where more may follow. */
const QUIET_MS = 20;
const CLOSE_MS = 5_000;

/**
 * A request that is not complete is not answered before its time-out. So after `timeoutMs` without
 * an answer we end our half of the connection, and the server has to say what it makes of the half
 * request.
 */
export function exchangeHttp(
  port: number,
  fuzzCase: HttpCase,
  timeoutMs: number,
): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    const { chunks, requests, isHead = false } = fuzzCase;
    const received: Buffer[] = [];
    let error: string | undefined;
    let isSent = false;
    let isSettled = false;
    let timer: NodeJS.Timeout | undefined;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });

    const settle = (end: HttpOutcome['end']) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      // A reset leaves no connection in TIME_WAIT: there are more cases than ports.
      if (!socket.destroyed) socket.resetAndDestroy();
      resolve({ received: Buffer.concat(received), end, error });
    };
    const endOurHalf = () => {
      socket.end();
      timer = setTimeout(() => settle('no answer'), CLOSE_MS);
    };
    const wait = () => {
      clearTimeout(timer);
      if (!isSent) return;
      const { answers, rest, fault } = splitAnswers(
        received.length === 1 ? (received[0] as Buffer) : Buffer.concat(received),
        isHead,
      );
      if (fault !== undefined || answers.length >= (requests ?? Number.POSITIVE_INFINITY))
        settle('quiet');
      else if (answers.length > 0 && rest.length === 0)
        timer = setTimeout(() => settle('quiet'), QUIET_MS);
      else timer = setTimeout(endOurHalf, timeoutMs);
    };
    const send = (at: number) => {
      const chunk = chunks[at];
      if (chunk === undefined || socket.destroyed) {
        isSent = true;
        wait();
        return;
      }
      socket.write(chunk);
      if (at + 1 < chunks.length) setImmediate(send, at + 1);
      else send(at + 1);
    };

    socket.on('data', (chunk) => {
      received.push(chunk);
      wait();
    });
    socket.on('error', (failure: NodeJS.ErrnoException) => {
      error = failure.code ?? failure.message;
    });
    socket.on('close', () => settle('closed'));
    send(0);
  });
}
