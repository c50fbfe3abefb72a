/** Names in a firewall or proxy configuration that an export writes: sets, the nft table, the nginx variable. */
import { UsageError } from '../terminal/exit.ts';

export const DEFAULT_NAME = 'whence';

/** ipset allows 31 characters, and `_ipv4_new` is added. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,21}$/;

export function parseName(option: string, text: string): string {
  if (!NAME.test(text))
    throw new UsageError(
      `${option} is ${JSON.stringify(text)}, but must be a letter followed by at most 21 letters, digits or underscores`,
    );
  return text;
}
