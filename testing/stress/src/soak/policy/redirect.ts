/**
 * Loaded into the server under test with `--import`. The server connects to policy hosts at public
 * addresses and port 443 only, and no setting changes that. Here, connections to the hosts of the
 * zone `policy.example` go to the hostile host on 127.0.0.1 instead, whose port is in the
 * environment. Nothing else of the server is changed.
 */
import { Socket } from 'node:net';

const HOST = /\.policy\.example$/;
const port = Number(process.env['SOAK_POLICY_PORT']);

type ConnectArguments = Parameters<Socket['connect']>;

const connect = Socket.prototype.connect;
Socket.prototype.connect = function redirected(this: Socket, ...args: unknown[]): Socket {
  const [options, ...rest] = args;
  const isPolicyHost =
    typeof options === 'object' &&
    options !== null &&
    'host' in options &&
    HOST.test(String(options.host));
  const target = isPolicyHost
    ? { ...options, host: '127.0.0.1', port, lookup: undefined }
    : options;
  // The overloads of `connect` cannot be named together.
  return connect.apply(this, [target, ...rest] as unknown as ConnectArguments);
} as Socket['connect'];
