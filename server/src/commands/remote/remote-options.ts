/** `--url` and `--key`, shared by the commands that can ask a server. The client itself is loaded if one is given. */
import type { Environment } from '../../settings/config.ts';

export type RemoteOptions = { readonly url?: string; readonly key?: string };

/** Undefined: the local dataset. `--url ''` asks that although WHENCE_URL is set. */
export function remoteUrl({ url }: RemoteOptions, environment: Environment): string | undefined {
  return (url ?? environment['WHENCE_URL']) || undefined;
}
