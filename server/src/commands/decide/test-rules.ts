/** `wh decide test rules.yaml --ip A`: what the rules decide about one request, and why. */
import { parseAddress } from '@whence/dataset/address';
import { isPrivateAddress } from '@whence/dataset/special-purpose';
import { flagsOf } from '../../fields/fields.ts';
import { tryRequest } from '../../rules/decide.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { threatText } from '../../terminal/flag-note.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine, printable } from '../../terminal/printable.ts';
import { styleOf } from '../../terminal/style.ts';
import { type Detail, formatDetails } from '../../terminal/table.ts';
import type { DataSettings } from '../embedded-data.ts';
import { openOverridden } from '../local-dataset.ts';
import { openDecider, openRules } from './check-rules.ts';

type TestOptions = {
  ip: string;
  host?: string;
  path?: string;
  method?: string;
  set?: string;
  json?: boolean;
};

/** The exit code is 1 if the request is refused. */
export async function testRules(
  path: string,
  { ip, set, json = false, ...asked }: TestOptions,
  settings: DataSettings,
  { stdout, environment }: CommandStreams,
): Promise<ExitCode> {
  const address = parseAddress(ip);
  if (address === undefined) throw new UsageError(`${JSON.stringify(ip)} is not an address`);
  const file = await openRules(path);
  const dataset = await openOverridden(settings);
  const decider = openDecider(file, path, set);
  const { decision, rule, matched, record, gap } = tryRequest(decider, dataset, {
    address,
    ...asked,
  });
  if (json)
    stdout.write(
      jsonLine({ decision, ...(rule && { rule: rule.name, matched }), ...(record && { record }) }),
    );
  else {
    const style = styleOf(stdout, environment);
    const noRule = isPrivateAddress(address)
      ? 'none: private and special-purpose addresses are allowed'
      : `none: the default of set ${decider.set.name}`;
    const rows: Detail[] = [
      ['decision', decision, decision === 'allow' ? style.green : style.red],
      ['rule', rule === undefined ? noRule : rule.name],
      ...Object.entries(matched ?? {}).map(
        ([name, value]): Detail => [name, printable(String(value))],
      ),
      ['address', record === undefined ? `${ip}, which no network announces` : ip],
      ...(record === undefined
        ? []
        : ([
            ['network', `AS${record.asn} ${printable(record.asn_name)}`],
            ['country', record.country],
            ['type', record.connection_type],
            ['flags', flagsOf(record.detection).join(', ') || 'none'],
            ['threat', threatText(record.threat, gap)],
          ] as Detail[])),
    ];
    stdout.write(formatDetails(rows, style));
  }
  return decision === 'deny' ? 1 : 0;
}
