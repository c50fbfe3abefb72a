/** `whence serve`, as it is typed. */
import type { Command } from 'commander';
import type { Invocation } from './invocation.ts';

export function defineServe(program: Command, { config, stdout, stderr, exitWith }: Invocation): void {
  program
    .command('serve')
    .description('serve the HTTP API; the first start builds or pulls the dataset and creates a key')
    .action(async () => {
      const { serve } = await import('../commands/serve/serve.ts');
      exitWith(await serve(config(), stdout, stderr));
    });
}
