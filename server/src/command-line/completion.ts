/** Command-line definition of `wh completion`. */
import { Argument, type Command } from 'commander';
import type { Invocation } from './command.ts';
import type { Shell } from './completion-scripts.ts';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

export function defineCompletion(program: Command, { everyCommand, stdout }: Invocation): void {
  program
    .command('completion')
    .description('print a script that completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { commandTree } = await import('./command-tree.ts');
      const { completionScript } = await import('./completion-scripts.ts');
      stdout.write(completionScript(shell, commandTree(await everyCommand())));
    });
}
