/**
 * Answers that are still due on a connection. A client may send several requests without waiting (pipelining); when
 * garbage follows them, its refusal must come after their answers, not in their place (RFC 9112 §9.3.2).
 */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const pending = new WeakMap<Duplex, Set<ServerResponse>>();

export function trackAnswer(socket: Duplex, response: ServerResponse): void {
  let answers = pending.get(socket);
  if (answers === undefined) {
    answers = new Set();
    pending.set(socket, answers);
  }
  const due = answers.add(response);
  response.once('close', () => due.delete(response));
}

/** Calls back when no answer is due any more: at once, where none is. */
export function afterAnswers(socket: Duplex, callback: () => void): void {
  const last = [...(pending.get(socket) ?? [])].at(-1);
  if (last === undefined) callback();
  else last.once('close', () => afterAnswers(socket, callback));
}
