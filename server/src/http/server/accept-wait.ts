/**
 * How long a new connection waits until it is accepted and read. The kernel does not tell, so one
 * connection at a time is made to the own port. It sends what no HTTP client sends, and the process
 * that reads it closes it: it is neither counted nor logged. With several workers, any of them may
 * accept it, because they share one queue.
 */
import { type AddressInfo, connect, type Socket } from 'node:net';

const EVERY_MS = 250;
/** A wait is looked at while it lasts: it may become much longer than is accepted. */
const CHECK_MS = 50;
/** Connections that wait for longer are a reason to refuse expensive work. */
const LATE_MS = 500;
/** Once may be code that is loaded, or a virtual machine that was paused. */
const LATE_TIMES = 2;
/**
 * A connection that the kernel does not complete: the queue is full, or packets to the own address
 * are dropped. The first ends within seconds.
 */
const CONNECT_MS = 5_000;
const MAX_UNCONNECTED = 3;
/** The gauge is the longest wait of this time, so that a scrape does not miss it. */
const REMEMBERED_MS = 10_000;

/** Its first byte begins no method, so that Node's parser refuses it at once. */
const MESSAGE = Buffer.from('\0whence: how long do connections wait?\r\n');

/** Whether a connection that Node's parser has refused is that of a measurement. */
export function isMeasurement(error: { readonly rawPacket?: unknown }): boolean {
  return Buffer.isBuffer(error.rawPacket) && error.rawPacket.equals(MESSAGE);
}

type Waiting = { readonly socket: Socket; readonly sinceMs: number; isConnected: boolean };

export class AcceptWait {
  #timer: NodeJS.Timeout | undefined;
  #port = 0;
  #host = '';
  #waiting: Waiting | undefined;
  #nextMs = 0;
  #isReachable = false;
  #unconnected = 0;
  #lateTimes = 0;
  #lateChecks = 0;
  #isLate = false;
  readonly #waits: { readonly endedMs: number; readonly ms: number }[] = [];

  /** `host`: the address that the server was told to listen on. */
  start(host: string, { address, port }: Pick<AddressInfo, 'address' | 'port'>): void {
    this.#host = LOOPBACK_OF[address] ?? host;
    this.#port = port;
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#waiting?.socket.destroy();
    this.#waiting = undefined;
    this.#isReachable = false;
  }

  /**
   * Whether connections wait for too long; undefined where the port cannot be reached from here.
   */
  get isLate(): boolean | undefined {
    return this.#isReachable ? this.#isLate : undefined;
  }

  /** The longest wait of the last seconds; undefined where the port cannot be reached from here. */
  get seconds(): number | undefined {
    if (!this.#isReachable) return undefined;
    const nowMs = performance.now();
    const ended = this.#waits.filter(({ endedMs }) => endedMs > nowMs - REMEMBERED_MS);
    const lasts = this.#waiting === undefined ? 0 : nowMs - this.#waiting.sinceMs;
    return Math.max(lasts, ...ended.map(({ ms }) => ms)) / 1000;
  }

  #check(): void {
    const nowMs = performance.now();
    if (this.#waiting === undefined) {
      if (nowMs >= this.#nextMs) this.#begin(nowMs);
      return;
    }
    const { sinceMs, isConnected } = this.#waiting;
    if (!isConnected && nowMs - sinceMs > CONNECT_MS) {
      this.#unconnected++;
      this.#end(this.#isReachable && this.#unconnected < MAX_UNCONNECTED);
    } else if (nowMs - sinceMs > LATE_MS && ++this.#lateChecks >= LATE_TIMES) {
      this.#isLate = true;
    }
  }

  #begin(nowMs: number): void {
    this.#nextMs = nowMs + EVERY_MS;
    this.#lateChecks = 0;
    const socket = connect({ host: this.#host, port: this.#port, allowHalfOpen: true });
    const waiting = { socket, sinceMs: nowMs, isConnected: false };
    this.#waiting = waiting;
    const ended = (isAnswered: boolean) => {
      if (this.#waiting === waiting) this.#end(isAnswered);
    };
    socket.unref();
    socket.once('connect', () => {
      waiting.isConnected = true;
      socket.write(MESSAGE);
    });
    socket.once('end', () => ended(true));
    // A reset follows an accepted connection, too: that of a server with too many of them.
    socket.once('error', () => ended(waiting.isConnected));
    socket.resume();
  }

  #end(isAnswered: boolean): void {
    if (this.#waiting === undefined) return;
    const { socket, sinceMs, isConnected } = this.#waiting;
    this.#waiting = undefined;
    // A reset, so that no connection remains in TIME_WAIT.
    socket.resetAndDestroy();
    this.#isReachable = isAnswered;
    if (isConnected) this.#unconnected = 0;
    if (isAnswered) this.#record(performance.now(), sinceMs);
    else this.#isLate = false;
  }

  #record(nowMs: number, sinceMs: number): void {
    const ms = nowMs - sinceMs;
    while (nowMs - (this.#waits[0]?.endedMs ?? nowMs) > REMEMBERED_MS) this.#waits.shift();
    this.#waits.push({ endedMs: nowMs, ms });
    if (ms <= LATE_MS) {
      this.#isLate = false;
      this.#lateTimes = 0;
    } else if (++this.#lateTimes >= LATE_TIMES) {
      this.#isLate = true;
    }
  }
}

/** What connects to a server that listens on all addresses. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
