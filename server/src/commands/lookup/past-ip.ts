/** `wh ip --history`, `--dataset-version` and `--at`: records of addresses in earlier versions of the dataset. */
import { type Address, formatAddress, parseAddress } from '@whence/dataset/address';
import { inUseFor, PastVersions } from '@whence/dataset/internal/history/past-versions';
import type { IpRecord } from '@whence/dataset/record';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { isDay } from '../../day.ts';
import { flagsOf } from '../../fields/fields.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { threatText } from '../../terminal/flag-note.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine, printable } from '../../terminal/printable.ts';
import { type Style, styleOf } from '../../terminal/style.ts';
import { openLocalDataset } from '../local-dataset.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import { formatAnswer } from './ip.ts';
import {
  type IpAnswer,
  isFound,
  missingAnswer,
  noEvidence,
  notKept,
  type PastSource,
  type PastSpan,
} from './ip-answer.ts';
import { answerOf } from './local-ips.ts';

type PastOptions = RemoteOptions & {
  json?: boolean;
  explain?: boolean;
  history?: boolean;
  datasetVersion?: number;
  at?: string;
};

export async function pastIpCommand(
  dataDir: string,
  texts: readonly string[],
  options: PastOptions,
  now: Date,
  { stdout, environment }: Pick<CommandStreams, 'stdout' | 'environment'>,
): Promise<ExitCode> {
  const { json = false, explain = false, history = false, datasetVersion, at = '' } = options;
  if (options.at !== undefined && !isDay(at))
    throw new UsageError(`invalid day ${JSON.stringify(at)}: must be a day such as 2026-11-15`);
  const addresses = requireAddresses(texts);
  const source = await openSource(options, environment, {
    local: () => localPastSource(dataDir, explain, now),
    remote: async (server) => (await import('./remote-lookups.ts')).remotePastSource(server, explain),
  });
  const style = styleOf(stdout, environment);
  let exitCode: ExitCode = 0;
  for (const address of addresses) {
    if (history) {
      const found = await source.history(address);
      if (found.changes.every(({ record }) => record === undefined)) exitCode = 1;
      stdout.write(json ? jsonLine(found) : historyText(found, style));
      continue;
    }
    const answer = await source.record(
      address,
      datasetVersion === undefined ? { day: at } : { version: datasetVersion },
    );
    if (!isFound(answer)) exitCode = 1;
    stdout.write(json ? jsonLine(answer) : formatAnswer(answer, style, explain));
  }
  return exitCode;
}

function localPastSource(dataDir: string, explain: boolean, now: Date): PastSource {
  const dataset = openLocalDataset(dataDir);
  const past = new PastVersions(dataDir);
  return {
    async history(address) {
      const spans = past.history(address, inUseFor(dataset, address));
      const changes = spans.map(({ record, ...span }) => ({
        ...span,
        ...(record !== undefined && { record: JSON.parse(record) as IpRecord }),
      }));
      return { ip: formatAddress(address), changes };
    },
    async record(address, wanted) {
      const found = past.record(wanted, address, inUseFor(dataset, address), { explained: explain, now });
      if (found.kind === 'not kept') throw notKept(wanted, formatAddress(address));
      if (found.kind === 'no evidence') throw noEvidence(wanted);
      if (found.kind === 'in use') return answerOf(dataset, address, explain);
      if (found.json !== undefined) return JSON.parse(found.json) as IpAnswer;
      return missingAnswer(formatAddress(address), findSpecialPurpose(address));
    },
  };
}

/** All of them, before the first is looked up. */
function requireAddresses(texts: readonly string[]): Address[] {
  if (texts.length === 0) throw new UsageError('--history, --dataset-version and --at need an address');
  const invalid = texts.filter((text) => parseAddress(text) === undefined);
  if (invalid.length > 0)
    throw new UsageError(`invalid IP address: ${invalid.map((text) => JSON.stringify(text)).join(', ')}`);
  return texts.flatMap((text) => parseAddress(text) ?? []);
}

/** A block for each span: a table with all columns would be too wide for a terminal. */
function historyText({ ip, changes }: { ip: string; changes: readonly PastSpan[] }, style: Style): string {
  const blocks = changes.map(({ from_version, to_version, from, to, record }) => {
    const [first, last] = [from.slice(0, 10), to.slice(0, 10)];
    const versions =
      from_version === to_version ? `version ${to_version}` : `versions ${from_version} to ${to_version}`;
    const built = first === last ? last : `${first} to ${last}`;
    const rows = record === undefined ? ['no data found for IP'] : recordRows(record);
    return `  ${versions}, built ${built}\n${rows.map((row) => `    ${printable(row)}\n`).join('')}`;
  });
  return `${style.bold(ip)}\n${blocks.join('')}\n`;
}

function recordRows(record: IpRecord): string[] {
  const { prefix, asn, asn_name, country, connection_type, threat } = record;
  const flags = flagsOf(record.detection).join(', ') || 'none';
  return [
    `${prefix}  AS${asn} ${asn_name}`,
    `${country}, ${connection_type}, flags: ${flags}, threat ${threatText(threat, undefined)}`,
  ];
}
