/** `whence dataset export`, as it is typed. */
import { type Command, Option } from 'commander';
import { EXPORT_FORMATS } from '../export/formats.ts';
import type { Invocation } from './invocation.ts';
import { jsonOption, positiveInteger } from './options.ts';

export function defineExport(dataset: Command, { config, stdout, stderr, exitWith }: Invocation): void {
  dataset
    .command('export')
    .description('export the networks and their records for other engines')
    .addOption(new Option('--format <format>', 'export format').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--output <path>', 'file, or folder for clickhouse (default: standard output, text formats only)')
    .option('--dataset-version <version>', 'export this version instead of the current one', positiveInteger)
    .option('--flag <flag...>', 'only networks with one of these flags, such as is_vpn')
    .option('--country <code...>', 'only networks in one of these countries, such as DE')
    .option('--asn <number...>', 'only these networks')
    .option('--cloud <name...>', 'only networks of these cloud providers, such as AWS')
    .option('--company <name...>', 'only AI crawlers of these companies, such as OpenAI')
    .option('--connection-type <type...>', 'only networks of these types, such as residential')
    .option('--min-score <score>', 'only networks with at least this threat score')
    .option('--name <name>', 'name of the nftables or ipset sets, or of the nginx variable (default: whence)')
    .option('--table <name>', 'nftables table of the sets (default: whence)')
    .option('--value <field>', 'haproxy and nginx-geo: map networks to this field, such as country')
    .addOption(jsonOption())
    .action(async (options) => {
      const { exportCommand } = await import('../commands/dataset/export.ts');
      exitWith(await exportCommand(config().dataDir, options, stdout, stderr));
    });
}
