/** Who runs a command, for the record of who has changed a key or an account. */
import { userInfo } from 'node:os';

export function operatorName(): string {
  return `command line, ${userName()}`;
}

/** Containers run under numbers that no user has. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
