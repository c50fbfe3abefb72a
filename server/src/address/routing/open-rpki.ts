/** The source of VRPs that is configured: a file, or a validator that is reached over HTTP. */
import type { ProxyVariables } from '@whence/dataset/internal/io/download/proxy';
import { RpkiDownload } from './rpki-download.ts';
import { isHttpUrl, RpkiFile } from './rpki-file.ts';

type RpkiSettings = {
  readonly dataDir: string;
  readonly contact: string | undefined;
  readonly proxies: ProxyVariables;
};

export function openRpki(
  source: string,
  { dataDir, contact, proxies }: RpkiSettings,
  events: ConstructorParameters<typeof RpkiFile>[1],
): RpkiFile {
  if (!isHttpUrl(source)) return new RpkiFile(source, events);
  const download = new RpkiDownload(source, { dataDir, contact, proxies });
  return new RpkiFile(download.path, events, download);
}
