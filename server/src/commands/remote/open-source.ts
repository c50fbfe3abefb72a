/**
 * One interface for answers of this machine or of the server of `--url`. The client is loaded only
 * for a server.
 */
import type { Environment } from '../../settings/settings.ts';
import type { RemoteServer } from './remote-server.ts';

/** `--url ''` uses this machine even if WHENCE_URL is set. */
export type RemoteOptions = { readonly url?: string; readonly key?: string };

type Sources<Source> = {
  readonly local: () => Source | Promise<Source>;
  readonly remote: (server: RemoteServer) => Promise<Source>;
};

export async function openSource<Source>(
  options: RemoteOptions,
  environment: Environment,
  { local, remote }: Sources<Source>,
): Promise<Source> {
  const url = options.url ?? environment['WHENCE_URL'] ?? '';
  if (url === '') return local();
  const { openRemote } = await import('./remote-server.ts');
  return remote(openRemote(url, options.key ?? environment['WHENCE_KEY'] ?? ''));
}
