/** Command-line definition of `wh decide`. */
import { type Command, InvalidArgumentError } from 'commander';
import { type Invocation, jsonOption } from './command.ts';

export function defineDecide(program: Command, invocation: Invocation): void {
  const { config, exitWith } = invocation;
  const decide = program
    .command('decide')
    .description('check, try and replay the rules of /v1/decide');
  decide
    .command('check')
    .description('report mistakes in a rules file, and rules that can have no effect')
    .argument('<rules>', 'the file, YAML or JSON')
    .action(async (rules: string) => {
      const { checkRules } = await import('../commands/decide/check-rules.ts');
      await exitWith(checkRules(rules, config('read').dataDir, invocation));
    });
  decide
    .command('test')
    .description(
      'what the rules decide about one request, and why; the exit code is 1 if it is refused',
    )
    .argument('<rules>', 'the file, YAML or JSON')
    .requiredOption('--ip <address>', 'the address that asks')
    .option('--host <name>', 'the host that it asks for')
    .option('--path <path>', 'the path that it asks for')
    .option('--method <method>', 'the method of the request')
    .option('--set <name>', 'the rule set', 'default')
    .addOption(jsonOption())
    .action(async (rules: string, options) => {
      const { testRules } = await import('../commands/decide/test-rules.ts');
      await exitWith(testRules(rules, options, config('read'), invocation));
    });
  decide
    .command('replay')
    .description('what the rules would have done to the requests of an access log')
    .argument('<rules>', 'the file, YAML or JSON')
    .argument(
      '[log]',
      'the log, plain or gzip, in the combined format or JSON lines (default: standard input)',
      '-',
    )
    .option('--set <name>', 'the rule set', 'default')
    .option(
      '--max-refused <share>',
      'exit with 1 if more of the requests would be refused, such as 0.5%',
      parseShare,
    )
    .addOption(jsonOption())
    .action(async (rules: string, log: string, options) => {
      const { replayRules } = await import('../commands/decide/replay-rules.ts');
      await exitWith(replayRules(rules, log, options, config('read'), invocation));
    });
}

function parseShare(text: string): number {
  const [, number] = /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(text) ?? [];
  const share = Number(number) / 100;
  if (number === undefined || share > 1)
    throw new InvalidArgumentError('It must be a percentage such as 0.5%.');
  return share;
}
