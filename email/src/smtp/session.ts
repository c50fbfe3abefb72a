// One SMTP session up to the certificate of STARTTLS (RFC 5321, RFC 3207). No mail is sent. The
// server is not trusted: replies have limits, and plain text that arrives before the handshake is
// never read as a reply to it.
import type { X509Certificate } from 'node:crypto';
import { connect, isIPv6, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { SmtpFault, SmtpStep } from '../findings/finding-text.ts';
import { excerpt } from '../visible-text.ts';

type SmtpTarget = {
  readonly address: string;
  readonly port: number;
  /** The MX host, for SNI (RFC 7672 §8.1, RFC 8461 §4.2). */
  readonly host: string;
  /** Certificate authorities to trust instead of Node's, as PEM. */
  readonly ca?: string | undefined;
};

/** What was seen until the session ended; `failure` if that was before QUIT. */
export type SmtpSession = {
  readonly greeting: string;
  readonly hasStartTls: boolean;
  readonly tls?: SmtpTls;
  readonly failure?: { readonly step: SmtpStep; readonly fault: SmtpFault };
};

/**
 * `trustError`: why the chain leads to no known authority, or is not valid now; a code of OpenSSL.
 */
export type SmtpTls = {
  readonly version: string;
  readonly certificate: X509Certificate | undefined;
  readonly trustError: string | undefined;
};

/** RFC 5321 §4.5.3.1.5 allows 512 bytes in a line of a reply. Some servers exceed it. */
const MAX_LINE_BYTES = 2_000;
const MAX_REPLY_BYTES = 16 * 1024;
const MAX_REPLY_LINES = 100;
/** How long the server may take to close the connection after QUIT. */
const QUIT_MS = 500;

export async function openSmtpSession(
  target: SmtpTarget,
  signal: AbortSignal,
): Promise<SmtpSession> {
  let seen: SmtpSession = { greeting: '', hasStartTls: false };
  const failed = (step: SmtpStep, fault: SmtpFault): SmtpSession => ({
    ...seen,
    failure: { step, fault },
  });
  const { address, port } = target;
  const socket = connect({ host: address, port });
  const dialogue = new Dialogue(socket, signal);
  try {
    const connected = await dialogue.connected();
    if (connected !== undefined) return failed('connection', connected);

    const greeting = await dialogue.reply();
    if (!isReply(greeting)) return failed('greeting', greeting);
    seen = { ...seen, greeting: excerpt(greeting.lines[0] ?? '', MAX_GREETING) };
    if (greeting.code !== 220) return failed('greeting', refusal(greeting));

    const hello = await dialogue.ask(`EHLO ${addressLiteral(socket.localAddress ?? '')}`);
    if (!isReply(hello)) return failed('EHLO', hello);
    if (hello.code !== 250) return failed('EHLO', refusal(hello));
    seen = {
      ...seen,
      hasStartTls: hello.lines.slice(1).some((line) => /^STARTTLS\s*$/i.test(line)),
    };
    if (!seen.hasStartTls) {
      dialogue.leave();
      await quit(socket);
      return seen;
    }

    const ready = await dialogue.ask('STARTTLS');
    if (!isReply(ready)) return failed('STARTTLS', ready);
    if (ready.code !== 220) return failed('STARTTLS', refusal(ready));
    // In this turn of the event loop: from here on, bytes of the server belong to the handshake.
    if (dialogue.leave() !== '') return failed('STARTTLS', 'text before TLS');
    const tls = await startTls(socket, target, signal);
    return 'version' in tls ? { ...seen, tls } : failed('TLS handshake', tls.fault);
  } finally {
    socket.destroy();
  }
}

const MAX_GREETING = 200;

type Reply = { readonly code: number; readonly lines: readonly string[] };

function isReply(outcome: Reply | SmtpFault): outcome is Reply {
  return typeof outcome === 'object' && 'code' in outcome;
}

function refusal({ code, lines }: Reply): SmtpFault {
  return { reply: excerpt(`${code} ${lines[0] ?? ''}`, 100) };
}

function addressLiteral(address: string): string {
  return isIPv6(address) && !address.startsWith('::ffff:')
    ? `[IPv6:${address}]`
    : `[${address.replace('::ffff:', '')}]`;
}

/** The plain part of a session: one reply at a time. */
class Dialogue {
  readonly #socket: Socket;
  readonly #signal: AbortSignal;
  #text = '';
  #lines: string[] = [];
  #bytes = 0;
  #end: SmtpFault | undefined;
  #waiting: (() => void) | undefined;

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
    socket.on('data', this.#take);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#endWith({ error: error.code ?? error.message }),
    );
    socket.on('close', () => this.#endWith('closed'));
    signal.addEventListener('abort', this.#abort, { once: true });
    if (signal.aborted) this.#abort();
  }

  async connected(): Promise<SmtpFault | undefined> {
    if (this.#end === undefined)
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
        this.#socket.once('connect', resolve);
      });
    return this.#end;
  }

  async ask(command: string): Promise<Reply | SmtpFault> {
    // RFC 2920: the server did not offer pipelining, and no command is waiting for a reply.
    if (this.#text !== '') return 'unqueried text';
    this.#socket.write(`${command}\r\n`);
    return this.reply();
  }

  async reply(): Promise<Reply | SmtpFault> {
    for (;;) {
      const outcome = this.#nextReply();
      if (outcome !== undefined) return outcome;
      if (this.#end !== undefined) return this.#end;
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  /** Stops reading; what has arrived and was not asked for. */
  leave(): string {
    this.#socket.removeListener('data', this.#take);
    this.#signal.removeEventListener('abort', this.#abort);
    return this.#text;
  }

  readonly #take = (chunk: Buffer): void => {
    this.#text += chunk.toString('latin1');
    // A server that does not stop sending is not read any further.
    if (this.#text.length > MAX_REPLY_BYTES) this.#socket.pause();
    this.#wake();
  };
  readonly #abort = (): void => {
    this.#endWith('timeout');
    this.#socket.destroy();
  };

  #endWith(fault: SmtpFault): void {
    this.#end ??= fault;
    this.#wake();
  }

  #wake(): void {
    const wake = this.#waiting;
    this.#waiting = undefined;
    wake?.();
  }

  /** RFC 5321 §4.2.1: every line has the code, and a hyphen after it unless it is the last. */
  #nextReply(): Reply | SmtpFault | undefined {
    for (let end = this.#text.indexOf('\n'); end >= 0; end = this.#text.indexOf('\n')) {
      if (end > MAX_LINE_BYTES) return 'long line';
      const line = this.#text.slice(0, end).replace(/\r$/, '');
      this.#text = this.#text.slice(end + 1);
      this.#bytes += end;
      const [, digits = '', mark = '', text = ''] = /^([2-5]\d\d)([ -]|$)(.*)$/s.exec(line) ?? [];
      const code = this.#lines.length === 0 ? digits : this.#lines[0]?.slice(0, 3);
      if (digits === '' || digits !== code) return 'not a reply';
      this.#lines.push(`${digits}${text}`);
      if (mark !== '-') {
        const lines = this.#lines.map((line) => line.slice(3));
        this.#lines = [];
        this.#bytes = 0;
        return { code: Number(digits), lines };
      }
      if (this.#lines.length >= MAX_REPLY_LINES || this.#bytes > MAX_REPLY_BYTES)
        return 'long reply';
    }
    return this.#text.length > MAX_LINE_BYTES ? 'long line' : undefined;
  }
}

async function startTls(
  socket: Socket,
  { host, ca }: SmtpTarget,
  signal: AbortSignal,
): Promise<SmtpTls | { readonly fault: SmtpFault }> {
  const secure = connectTls({
    socket,
    servername: host,
    // Which certificates a sender accepts depends on DANE and MTA-STS: all are looked at.
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    ...(ca !== undefined && { ca }),
  });
  const fault = await new Promise<SmtpFault | undefined>((resolve) => {
    const abort = () => resolve('timeout');
    secure.once('secureConnect', () => resolve(undefined));
    secure.on('error', (error: NodeJS.ErrnoException) => resolve({ error: reasonOf(error) }));
    secure.once('close', () => resolve('closed'));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  if (fault !== undefined) {
    secure.destroy();
    return { fault };
  }
  const { authorizationError } = secure;
  const tls = {
    version: secure.getProtocol() ?? '',
    certificate: secure.getPeerX509Certificate(),
    trustError: authorizationError ? String(authorizationError) : undefined,
  };
  await quit(secure);
  return tls;
}

/** OpenSSL puts the reason behind colons: `error:0A00010B:SSL routines::wrong version number`. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const [, , , , reason] = message.split(':');
  return excerpt(reason?.trim() || code || message);
}

async function quit(socket: Socket | TLSSocket): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, QUIT_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.end('QUIT\r\n');
    // Later data is of no interest, and would keep the connection open if it were not
    // read.
    socket.resume();
  });
  socket.destroy();
}
