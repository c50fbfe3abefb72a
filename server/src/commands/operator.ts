/** The user who runs a command, as recorded in the audit log and in revoked keys. */
import { userInfo } from 'node:os';
import type { Actor } from '../audit/audit-log.ts';

export function operator(): Actor {
  return { name: `command line, ${userName()}` };
}

/** Containers run with user ids that have no user name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
