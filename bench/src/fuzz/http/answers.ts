/** Splits what came over a connection into HTTP responses (RFC 9112 §6). Every answer of the server has a length. */

export type HttpAnswer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

export type HttpAnswers = {
  readonly answers: readonly HttpAnswer[];
  /** Bytes after the last complete answer. */
  readonly rest: Buffer;
  /** What is wrong with the bytes, if they are no response. */
  readonly fault?: string;
};

const HEAD_END = Buffer.from('\r\n\r\n');
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [ -~]*$/;

/** Answers to HEAD have a length and no body. */
export function splitAnswers(bytes: Buffer, isHead: boolean): HttpAnswers {
  const answers: HttpAnswer[] = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf(HEAD_END, at);
    if (end < 0) return { answers, rest: bytes.subarray(at) };
    const [first = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n');
    const status = Number(STATUS_LINE.exec(first)?.[1]);
    const headers = parseHeaders(lines);
    if (Number.isNaN(status) || headers === undefined)
      return { answers, rest: bytes.subarray(at), fault: `not the head of a response: ${first.slice(0, 80)}` };
    const start = end + HEAD_END.length;
    // RFC 9110 §15.2: an interim response; the real one follows.
    if (status < 200) {
      at = start;
      continue;
    }
    const length = headers.get('content-length');
    if (length === undefined || !/^\d+$/.test(length))
      return { answers, rest: bytes.subarray(at), fault: `status ${status} without a Content-Length` };
    const bodyEnd = start + (isHead ? 0 : Number(length));
    if (bodyEnd > bytes.length) return { answers, rest: bytes.subarray(at) };
    answers.push({ status, headers, body: bytes.toString('utf8', start, bodyEnd) });
    at = bodyEnd;
  }
}

function parseHeaders(lines: readonly string[]): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) return undefined;
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}
