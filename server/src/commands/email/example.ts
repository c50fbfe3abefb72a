/**
 * `wh email reports --example`: verdict and senders of an invented domain, from reports in a
 * temporary folder. It makes no request to other machines, and removes the folder at its end.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '@whence/dataset/io/files';
import { type Config, readConfig } from '../../settings/config.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { REPORT_DAYS } from '../../vocabulary.ts';
import { startExampleDns } from './example-dns.ts';
import { EXAMPLE_DOMAIN, exampleReports } from './example-domain.ts';
import { importReports } from './import-reports.ts';
import { sendersCommand } from './senders.ts';

type Options = { readonly policy: string; readonly json?: boolean; readonly serve?: boolean };

export async function exampleCommand(
  options: Options,
  streams: CommandStreams,
  nowMs: number,
  serve: (config: Config, streams: CommandStreams) => Promise<ExitCode>,
): Promise<ExitCode> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-example-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // A server ends with its process.
  process.once('exit', remove);
  const dns = await startExampleDns();
  try {
    const environment = {
      ...withoutSettings(streams.environment),
      ...(streams.environment['WHENCE_PORT'] && {
        WHENCE_PORT: streams.environment['WHENCE_PORT'],
      }),
      WHENCE_DATA_DIR: join(folder, 'data'),
      WHENCE_DNS_SERVERS: dns.address,
    };
    const own = { ...streams, environment };
    const config = readConfig(environment);
    const reports = join(folder, 'reports');
    makeFolder(reports);
    makeFolder(config.dataDir);
    for (const [name, text] of Object.entries(exampleReports(nowMs, REPORT_DAYS)))
      writeFileSync(join(reports, name), text);
    // Its summary would stand before the answer.
    const quiet = { ...own, stdout: { write: () => true } };
    await importReports(config, [reports], { new: true }, quiet);
    const asked = { ...options, days: String(REPORT_DAYS) };
    await sendersCommand(EXAMPLE_DOMAIN, asked, async () => config, own);
    if (options.serve !== true) return 0;
    streams.stdout.write(`\nThe page: /domain/${EXAMPLE_DOMAIN}?tab=senders of this server\n`);
    return await serve(config, own);
  } finally {
    await dns.close();
    remove();
    process.off('exit', remove);
  }
}

/** Neither the database nor the server of the one who tries it. */
function withoutSettings(environment: CommandStreams['environment']) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('WHENCE_')),
  );
}
