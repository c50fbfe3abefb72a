/** The ROA payloads of `WHENCE_RPKI`, for a command that uses them once. */
import type { RpkiFile } from '../address/routing/rpki-file.ts';
import type { VrpTable } from '../address/routing/vrps.ts';
import type { Config } from '../settings/config.ts';
import { CommandError, SettingError } from '../terminal/exit.ts';

export type RpkiConfig = Pick<
  Config,
  'dataDir' | 'dataFolder' | 'rpkiSource' | 'contact' | 'proxies'
>;

export async function openRpkiSource({
  rpkiSource,
  ...config
}: RpkiConfig): Promise<RpkiFile | undefined> {
  if (rpkiSource === undefined) return undefined;
  // A file that cannot be read is a wrong setting, a host that does not answer is not.
  const Unusable = /^https?:/i.test(rpkiSource) ? CommandError : SettingError;
  const { openRpki } = await import('../address/routing/rpki-file.ts');
  const file = openRpki(
    rpkiSource,
    { ...config, dataDir: config.dataFolder.cache },
    {
      loaded: () => {},
      failed: (reason) => {
        throw new Unusable(`WHENCE_RPKI: ${rpkiSource}: ${reason}`);
      },
      expired: (builtAtMs) => {
        throw new CommandError(
          `WHENCE_RPKI: ${rpkiSource} was made ${new Date(builtAtMs).toISOString()}, which is too old`,
        );
      },
    },
  );
  await file.update();
  return file;
}

export async function requireVrps(config: RpkiConfig): Promise<VrpTable> {
  if (config.rpkiSource === undefined)
    throw new SettingError(
      'rpki needs ROA payloads: set WHENCE_RPKI to a file or URL of a validator',
    );
  const table = (await openRpkiSource(config))?.table;
  if (table === undefined)
    throw new CommandError(`WHENCE_RPKI: ${config.rpkiSource} has no payloads that can be used`);
  return table;
}
