/** The head of a plain answer as text, in the form of Node's path. For answers that take longer than writing it as bytes. */
import { STATUS_CODES } from 'node:http';
import { lastLines } from './lookup-answer.ts';

export function answerHead(status: number, headers: object, nowMs: number): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  return `${statusLine(status)}${lines.join('\r\n')}${lastLines(nowMs)}`;
}

export const statusLine = (status: number) => `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
