/**
 * The port of all workers, as a socket that they inherit. The first process holds it too, so that
 * connections wait in its queue while every worker is dead, instead of being refused. It accepts
 * none: it binds the address, and the workers listen.
 */
import net, { isIP, Socket } from 'node:net';
import type { Environment } from '../settings/settings.ts';

/** After standard streams and the channel of the cluster. */
const WORKER_FD = 4;
const VARIABLE = 'INHERITED_PORT_FD';

type Handle = {
  readonly fd: number;
  /** An error number, or 0. */
  getsockname(address: object): number;
  close(): void;
};

// A handle that is bound and does not accept. `node:cluster` makes it by the same function, which
// is neither documented nor in the types, and closes it with the last worker.
const { _createServerHandle: bind } = net as unknown as {
  _createServerHandle?(address: string, port: number, family: number): Handle | number;
};

export class HeldPort {
  readonly #handle: Handle;

  private constructor(handle: Handle) {
    this.#handle = handle;
  }

  /**
   * Undefined where workers must bind the address themselves: it is a name, which may have several
   * addresses, or it cannot be used, which they report.
   */
  static open(host: string, port: number): HeldPort | undefined {
    if (bind === undefined || isIP(host) === 0 || port === 0) return undefined;
    const handle = bind(host, port, isIP(host));
    if (typeof handle === 'number') return undefined;
    // libuv keeps the error of an address in use until the socket listens. Workers would inherit a
    // socket without an address, and listen on any free port.
    if (handle.fd >= 0 && handle.getsockname({}) === 0) return new HeldPort(handle);
    handle.close();
    return undefined;
  }

  /** What `cluster.setupPrimary` opens in workers, in this order. */
  get workerStreams(): ['ignore', 'ignore', 'pipe', 'ipc', number] {
    return ['ignore', 'ignore', 'pipe', 'ipc', this.#handle.fd];
  }

  readonly workerEnvironment = { [VARIABLE]: String(WORKER_FD) };

  close(): void {
    this.#handle.close();
  }
}

/** In a worker: what `listen` takes; undefined if the worker binds the address itself. */
export function inheritedPort(environment: Environment): Socket | undefined {
  const fd = environment[VARIABLE];
  // Never read: `listen` takes the socket's handle from it.
  return fd === undefined
    ? undefined
    : new Socket({ fd: Number(fd), readable: false, writable: false });
}
