/** Command-line definition of `wh completion`. */
import { Argument, type Command } from 'commander';
import type { Shell } from '../commands/completion/completion-scripts.ts';
import type { Invocation } from './command.ts';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

export function defineCompletion(program: Command, { everyCommand, stdout }: Invocation): void {
  program
    .command('completion')
    .description('print a script that completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { commandTree } = await import('../commands/completion/command-tree.ts');
      const { completionScript } = await import('../commands/completion/completion-scripts.ts');
      stdout.write(completionScript(shell, commandTree(await everyCommand())));
    });
}
