/**
 * Splits what came over a connection into HTTP responses (RFC 9112 §6), with a length or in chunks.
 */

export type HttpAnswer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

type HttpAnswers = {
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
      return {
        answers,
        rest: bytes.subarray(at),
        fault: `not the head of a response: ${first.slice(0, 80)}`,
      };
    const start = end + HEAD_END.length;
    // RFC 9110 §15.2: an interim response; the real one follows.
    if (status < 200) {
      at = start;
      continue;
    }
    // RFC 9110 §15.3.5: 204 has no content.
    const body =
      isHead || status === 204 ? { text: '', end: start } : readBody(bytes, start, headers);
    if (body === 'unframed')
      return {
        answers,
        rest: bytes.subarray(at),
        fault: `status ${status} without a Content-Length`,
      };
    if (body === 'incomplete') return { answers, rest: bytes.subarray(at) };
    answers.push({ status, headers, body: body.text });
    at = body.end;
  }
}

type Body = { readonly text: string; readonly end: number };

function readBody(
  bytes: Buffer,
  start: number,
  headers: HttpAnswer['headers'],
): Body | 'unframed' | 'incomplete' {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(bytes, start);
  const length = headers.get('content-length');
  if (length === undefined || !/^\d+$/.test(length)) return 'unframed';
  const end = start + Number(length);
  return end > bytes.length ? 'incomplete' : { text: bytes.toString('utf8', start, end), end };
}

/** RFC 9112 §7.1, without trailers. */
function readChunks(bytes: Buffer, start: number): Body | 'unframed' | 'incomplete' {
  const chunks: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return 'incomplete';
    const size = bytes.toString('latin1', at, lineEnd);
    if (!/^[0-9a-f]{1,8}$/i.test(size)) return 'unframed';
    const dataStart = lineEnd + 2;
    const dataEnd = dataStart + Number.parseInt(size, 16);
    if (dataEnd + 2 > bytes.length) return 'incomplete';
    at = dataEnd + 2;
    if (dataEnd === dataStart) return { text: Buffer.concat(chunks).toString('utf8'), end: at };
    chunks.push(bytes.subarray(dataStart, dataEnd));
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
