/** Runs a command line: settings, help, errors and exit codes. */
import { Command, CommanderError } from 'commander';
import type { Invocation } from './command-line/command.ts';
import { addCommands, COMMAND_NAMES } from './command-line/commands.ts';
import { type Config, maskOf, readConfig, settingsHelp } from './settings/config.ts';
import { findDataFolder, type Purpose } from './settings/data-folder.ts';
import { type Environment, settings } from './settings/settings.ts';
import { NoDatabase } from './storage/storage-unavailable.ts';
import { onWaiting } from './storage/waiting.ts';
import {
  type ExitCode,
  exitCodesHelp,
  failureOf,
  InputError,
  SettingError,
  UsageError,
} from './terminal/exit.ts';
import type { Output } from './terminal/output.ts';
import { printableLines } from './terminal/printable.ts';
import { NAME, PROGRAM } from './terminal/program-name.ts';
import { fit, hasColour, type Style, styleOf, wrapLines } from './terminal/style.ts';
import { packageVersion } from './version.ts';

const USAGE_ERROR = 2;
const HELP = ['help', '--help', '-h'];

/** Runs one command and returns its exit code, as `terminal/exit` describes them. */
export async function run(
  argv: readonly string[],
  environment: Environment,
  stdout: Output,
  stderr: Output,
  stdin: Invocation['stdin'] = () => process.stdin,
): Promise<number> {
  let exitCode: ExitCode = 0;
  // Messages may quote settings, feeds, files and arguments, which may be secrets.
  const mask = maskOf(environment);
  const printError = (text: string) =>
    stderr.write(wrapLines(printableLines(mask(text)), fit({ stdout: stderr, environment })));
  const style = styleOf(stdout, environment);
  let running: Command | undefined;
  const program = newProgram({ environment, stdout, style, printError }).hook(
    'preAction',
    (_program, command) => {
      running = command;
    },
  );
  const configFor = (purpose: Purpose): Config =>
    configOf(purpose, environment, running?.opts()['dataDir']);
  const invocation: Invocation = {
    config: configFor,
    storage: async () => {
      const config = configFor('storage');
      stderr.write((await wrongFolder()).otherServerNote(config, environment));
      return config;
    },
    environment,
    now: () => new Date(),
    stdin,
    stdout,
    stderr,
    exitWith: async (code) => {
      exitCode = await code;
    },
    everyCommand: () => addCommands(new Command(NAME), invocation),
  };
  const stopListening = onWaiting(
    (reason) => running?.name() !== 'serve' && printError(`note: ${reason}\n`),
  );
  try {
    const [first = ''] = argv;
    const isWord = first !== '' && !first.startsWith('-') && first !== 'help';
    const isNamed = COMMAND_NAMES.includes(first);
    let command = isNamed ? first : undefined;
    if (!isNamed && isWord)
      command = (await import('./command-line/typed-value.ts')).commandOf(first);
    // Help lists all commands.
    await addCommands(program, invocation, command === undefined ? COMMAND_NAMES : [command]);
    if (argv.some((word) => HELP.includes(word))) {
      (await import('./command-line/examples.ts')).addExamples(program, style);
      program.commands
        .find((subcommand) => subcommand.name() === 'serve')
        ?.addHelpText('after', () => settingsHelp(style));
    }
    pointToHelp(program);
    await program.parseAsync(command === undefined || isNamed ? argv : [command, ...argv], {
      from: 'user',
    });
    return exitCode;
  } catch (error) {
    // Commander has already printed its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    const advice =
      error instanceof NoDatabase
        ? (await wrongFolder()).noDatabaseAdvice(
            configFor('storage'),
            environment,
            hasOption(running, '--new'),
          )
        : '';
    const isOfArguments =
      error instanceof UsageError &&
      !(error instanceof SettingError || error instanceof InputError);
    printError(
      `error: ${failure.message}${advice}\n${isOfArguments ? `${helpHint(running ?? program)}\n` : ''}`,
    );
    return failure.exitCode;
  } finally {
    stopListening();
  }
}

/** The program without its commands. */
function newProgram({
  environment,
  stdout,
  style,
  printError,
}: {
  readonly environment: Environment;
  readonly stdout: Output;
  readonly style: Style;
  readonly printError: (text: string) => void;
}): Command {
  return (
    new Command(NAME)
      .description(
        'IP, ASN and email-domain intelligence from your own machine.\n\n' +
          'An address, a prefix, an AS number or a domain needs no command: wh 8.8.8.8, wh 8.8.8.0/24, wh AS15169, wh example.com',
      )
      .version(packageVersion())
      .exitOverride()
      // Otherwise `asn search --json` would set the option of `asn`.
      .enablePositionalOptions()
      .configureOutput({
        writeOut: (text) => stdout.write(text),
        writeErr: (text) => printError(text),
        getOutHelpWidth: () => style.width,
        getErrHelpWidth: () => style.width,
        getOutHasColors: () => hasColour(stdout, environment),
        getErrHasColors: () => false,
      })
      .configureHelp({
        showGlobalOptions: false,
        // The arguments of a command are in its own help; here they would leave no room for the
        // descriptions.
        subcommandTerm: (command) => command.name(),
        minWidthToWrap: 20,
        // Commander removes the codes where there is no colour.
        styleTitle: (title) => `\x1b[1m${title}\x1b[22m`,
      })
      .addHelpText('after', () => settingsHelp(style, 'common'))
      .addHelpText('after', () => wrapLines(exitCodesHelp(), style))
  );
}

/** The configuration with the data directory of the option, if it is given. */
function configOf(purpose: Purpose, environment: Environment, dataDir: string | undefined): Config {
  const { variable } = settings.dataDir;
  const given = { ...environment, [variable]: dataDir || environment[variable] };
  const folder = findDataFolder(purpose, given);
  return readConfig(
    { ...given, ...(folder.origin === 'set' ? {} : { [variable]: folder.path }) },
    folder,
  );
}

const wrongFolder = () => import('./command-line/wrong-folder.ts');

const hasOption = (command: Command | undefined, long: string) =>
  command?.options.some((option) => option.long === long) === true;

/** A usage error names the help of the command that was typed, where its options are. */
function pointToHelp(command: Command): void {
  command.showHelpAfterError(helpHint(command));
  for (const subcommand of command.commands) pointToHelp(subcommand);
}

function helpHint(command: Command): string {
  const names: string[] = [];
  for (let named: Command | null = command; named !== null; named = named.parent)
    names.unshift(named.name());
  return `(run ${[PROGRAM, ...names.slice(1)].join(' ')} --help for usage)`;
}
