/** All commands, to be described and not to be run. */
import { Command } from 'commander';
import { addCommands } from '../../command-line/commands.ts';
import { NAME } from '../../terminal/program-name.ts';

export function describedProgram(): Promise<Command> {
  const notRun = (): never => {
    throw new Error('the commands are described, and none is run');
  };
  return addCommands(new Command(NAME).enablePositionalOptions(), {
    stdin: notRun,
    stdout: { write: notRun },
    stderr: { write: notRun },
    environment: {},
    config: notRun,
    storage: notRun,
    now: notRun,
    exitWith: notRun,
    everyCommand: notRun,
  });
}
