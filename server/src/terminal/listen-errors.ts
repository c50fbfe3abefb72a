/** Why an address cannot be listened on, as a message that names the setting to change. */
import { CommandError, UsageError } from './exit.ts';

/** An address and the settings it is from. */
export type ListenAddress = {
  readonly host: string;
  readonly port: number;
  readonly hostSetting: string;
  readonly portSetting: string;
};

/** Other errors are returned unchanged. */
export function listenError(error: unknown, { host, port, hostSetting, portSetting }: ListenAddress): unknown {
  const { code, syscall = '', message } = error as NodeJS.ErrnoException;
  if (!LISTENING.includes(syscall)) return error;
  switch (code) {
    case 'EADDRINUSE':
      return new CommandError(`port ${port} of ${host} is taken by another process: end it, or change ${portSetting}`);
    case 'EACCES':
      return new CommandError(
        `port ${port} of ${host} needs rights that this user does not have: set ${portSetting} to 1024 or more`,
      );
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return new UsageError(`${hostSetting} is ${JSON.stringify(host)}, which is not an address of this machine`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UsageError(`${hostSetting} is ${JSON.stringify(host)}, a name that cannot be resolved to an address`);
    default:
      return new CommandError(`cannot listen on ${host}, port ${port} (${hostSetting}, ${portSetting}): ${message}`);
  }
}

const LISTENING = ['getaddrinfo', 'bind', 'listen'];
