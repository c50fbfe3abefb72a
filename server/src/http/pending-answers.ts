/**
 * Pending answers of a connection. A client may send several requests without waiting (pipelining); if malformed data
 * follows them, its refusal must come after their answers, not in their place (RFC 9112 §9.3.2).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

const pending = new WeakMap<Duplex, Set<Exchange>>();

export function trackAnswer(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  let exchanges = pending.get(socket);
  if (exchanges === undefined) {
    exchanges = new Set();
    pending.set(socket, exchanges);
  }
  const due = exchanges;
  const exchange = { request, response };
  due.add(exchange);
  response.once('close', () => due.delete(exchange));
}

/**
 * Calls back when no answer is pending, at once if there is none. A request with an incomplete body is not waited for: the
 * refusal is its answer.
 */
export function afterAnswers(socket: Duplex, callback: () => void): void {
  const last = [...(pending.get(socket) ?? [])].filter(({ request }) => request.complete).at(-1);
  if (last === undefined) callback();
  else last.response.once('close', () => afterAnswers(socket, callback));
}

/** Whether an answer has begun, so that nothing else may be sent. */
export function isAnswering(socket: Duplex): boolean {
  return [...(pending.get(socket) ?? [])].some(({ response }) => response.headersSent);
}
