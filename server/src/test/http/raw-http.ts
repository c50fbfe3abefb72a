/** Bytes to a server and back, as no HTTP client would send them. */
import { connect } from 'node:net';

type RawAnswer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
};

/**
 * Sends the text and returns all that came back by the time the server closed the connection, or
 * nothing came for `quietMs`.
 */
export function exchange(url: string, text: string, quietMs = 30_000): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'));
    let received = '';
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
    });
    socket.on('close', () => resolve(received));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(received) : reject(error),
    );
  });
}

/** The answers in what came back, in order. Throws for what is not an answer with a length. */
export function parseAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = received; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const length = status === 204 ? 0 : Number(headers['content-length']);
    if (end === -1 || Number.isNaN(status) || Number.isNaN(length))
      throw new Error(`not an answer: ${rest.slice(0, 200)}`);
    answers.push({ status, headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}
