/**
 * The command line: which commands there are, and exit codes. The options of a command are loaded when it is named, and
 * its work when it runs: all of them together take a second.
 */

import { Command, CommanderError } from 'commander';
import type { Invocation } from './command-line/command.ts';
import { maskSecrets } from './keys/secret.ts';
import { type Environment, readConfig, settingsHelp } from './settings/config.ts';
import { type ExitCode, failureOf } from './terminal/exit.ts';
import type { Output } from './terminal/output.ts';
import { printableLines } from './terminal/printable.ts';
import { packageVersion } from './version.ts';

type Define = (program: Command, invocation: Invocation) => void;

/** In the order of `whence --help`. */
const COMMANDS: Readonly<Record<string, () => Promise<Define>>> = {
  serve: async () => (await import('./command-line/server.ts')).defineServe,
  key: async () => (await import('./command-line/key.ts')).defineKey,
  storage: async () => (await import('./command-line/server.ts')).defineStorage,
  user: async () => (await import('./command-line/user.ts')).defineUser,
  ip: async () => (await import('./command-line/lookups.ts')).defineIp,
  asn: async () => (await import('./command-line/lookups.ts')).defineAsn,
  email: async () => (await import('./command-line/email.ts')).defineEmail,
  enrich: async () => (await import('./command-line/enrich.ts')).defineEnrich,
  crawlers: async () => (await import('./command-line/crawlers.ts')).defineCrawlers,
  dataset: async () => (await import('./command-line/dataset.ts')).defineDataset,
};

const USAGE_ERROR = 2;

/** Runs one command and returns its exit code: 0 success, 1 failure or a negative answer, 2 usage error. */
export async function run(
  argv: readonly string[],
  environment: Environment,
  stdout: Output,
  stderr: Output,
): Promise<number> {
  let exitCode: ExitCode = 0;
  // Messages may quote feeds, files and arguments, which may be secrets.
  const printError = (text: string) => stderr.write(printableLines(maskSecrets(text)));
  const program = new Command('whence')
    .description('IP, ASN and email-domain intelligence from your own machine')
    .version(packageVersion())
    .exitOverride()
    // Otherwise `asn search --json` would set the option of `asn`.
    .enablePositionalOptions()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => printError(text) })
    .configureHelp({ showGlobalOptions: false })
    .showHelpAfterError('(run whence --help for usage)')
    .addHelpText('after', () => settingsHelp())
    .addHelpText('after', 'Exit codes: 0 success, 1 failure or a negative answer, 2 usage error.');
  for (const define of await loadCommands(argv)) {
    define(program, {
      config: () => readConfig(environment),
      environment,
      now: () => new Date(),
      stdin: () => process.stdin,
      stdout,
      stderr,
      exitWith: (code) => {
        exitCode = code;
      },
    });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    printError(`error: ${failure.message}\n`);
    return failure.exitCode;
  }
}

/** The command that is named, or all of them: for help, and to suggest one for a name that is misspelt. */
async function loadCommands([name = '']: readonly string[]): Promise<Define[]> {
  if (name === '--version') return [];
  const names = Object.hasOwn(COMMANDS, name) ? [name] : Object.keys(COMMANDS);
  return Promise.all(names.flatMap((known) => COMMANDS[known]?.() ?? []));
}
