/** The database behind a storage, opened for as long as a command works on it. */
import { mkdirSync } from 'node:fs';
import type { Engine } from '../../storage/engine.ts';
import { isPostgresUrl, openEngine } from '../../storage/open-storage.ts';
import { withDataDirErrors } from '../../terminal/data-dir-errors.ts';
import type { ExitCode } from '../../terminal/exit.ts';

export async function withEngine(
  location: string,
  options: { mustExist: boolean },
  work: (engine: Engine) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withDataDirErrors(
    location,
    async () => {
      if (!options.mustExist && !isPostgresUrl(location)) mkdirSync(location, { recursive: true, mode: 0o700 });
      const engine = await openEngine(location, options);
      try {
        return await work(engine);
      } finally {
        await engine.db.destroy();
      }
    },
    'keys',
  );
}
