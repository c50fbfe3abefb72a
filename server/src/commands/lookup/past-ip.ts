/**
 * `wh ip --history`, `--dataset-version` and `--at`: records of addresses in earlier versions of
 * the dataset.
 */
import { type Address, formatAddress, parseAddress } from '@whence/dataset/address';
import type { IpRecord } from '@whence/dataset/record';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { inUseFor, PastVersions } from '@whence/dataset/versions/past';
import { isDay } from '../../day.ts';
import { flagsOf } from '../../fields/fields.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine, printable } from '../../terminal/printable.ts';
import { type Style, styleOf } from '../../terminal/style.ts';
import { openLocalDataset } from '../local-dataset.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import { formatAnswer } from './ip.ts';
import {
  type GapOf,
  type IpAnswer,
  invalidAnswer,
  isFound,
  missingAnswer,
  notKept,
  type PastSource,
  type PastSpan,
} from './ip-answer.ts';
import {
  type Entry,
  eachEntry,
  type Invalid,
  listedArguments,
  printInvalid,
} from './listed-arguments.ts';
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
  { stdin, stdout, stderr, environment }: CommandStreams,
): Promise<ExitCode> {
  const { json = false, explain = false, history = false, datasetVersion, at = '' } = options;
  if (options.at !== undefined && !isDay(at))
    throw new UsageError(`invalid day ${JSON.stringify(at)}: must be a day such as 2026-11-15`);
  const listed = listedArguments(texts, parseEntry, stdin, 'addresses');
  // The explanation says whether the score is complete.
  const isExplained = explain || !json;
  const source = await openSource(options, environment, {
    local: () => localPastSource(dataDir, isExplained, now),
    remote: async (server) =>
      (await import('./remote-lookups.ts')).remotePastSource(server, isExplained),
  });
  const style = styleOf(stdout, environment);
  const print = async (address: Address) => {
    if (history) {
      const history = await source.history(address);
      stdout.write(json ? jsonLine(history) : historyText(history, style));
      return history.changes.some(({ record }) => record !== undefined);
    }
    const answer = await source.record(
      address,
      datasetVersion === undefined ? { day: at } : { version: datasetVersion },
    );
    stdout.write(json ? jsonLine(answer) : formatAnswer(answer, style, explain, pastGap));
    return isFound(answer);
  };
  const reject = (entry: Invalid) => void stdout.write(jsonLine(invalidAnswer(entry)));
  return eachEntry(listed, print, json ? reject : printInvalid(stderr));
}

/** Only an explained answer says whether its score was complete. */
const pastGap: GapOf = ({ threat_is_known }) =>
  threat_is_known === false ? 'past_version' : undefined;

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
      const answer = past.record(wanted, address, inUseFor(dataset, address), {
        explained: explain,
        now,
      });
      if (answer.kind === 'not kept') throw notKept(wanted, formatAddress(address));
      if (answer.kind === 'in use') return answerOf(dataset, address, explain);
      if (answer.json !== undefined) return JSON.parse(answer.json) as IpAnswer;
      return missingAnswer(formatAddress(address), findSpecialPurpose(address));
    },
  };
}

function parseEntry(text: string): Entry<Address> {
  const address = parseAddress(text);
  if (address !== undefined) return { kind: 'item', item: address };
  return { kind: 'invalid', text, error: 'invalid IP address', code: 'INVALID_IP' };
}

/** A block for each span: a table with all columns would be too wide for a terminal. */
function historyText(
  { ip, changes }: { ip: string; changes: readonly PastSpan[] },
  style: Style,
): string {
  const blocks = changes.map(({ from_version, to_version, from, to, record }) => {
    const first = from.slice(0, 10);
    const last = to.slice(0, 10);
    const versions =
      from_version === to_version
        ? `version ${to_version}`
        : `versions ${from_version} to ${to_version}`;
    const built = first === last ? last : `${first} to ${last}`;
    const rows = record === undefined ? ['no data found for IP'] : recordRows(record);
    return `  ${versions}, built ${built}\n${rows.map((row) => `    ${printable(row)}\n`).join('')}`;
  });
  return `${style.bold(ip)}\n${blocks.join('')}\n`;
}

function recordRows(record: IpRecord): string[] {
  const { prefix, asn, asn_name, country, connection_type, threat } = record;
  const flags = flagsOf(record.detection).join(', ') || 'none';
  // Whether the lists of the version were complete is not in a history.
  const score = threat.score === 0 ? '' : `, threat at least ${threat.score} of 100`;
  return [
    `${prefix}  AS${asn} ${asn_name}`,
    `${country}, ${connection_type}, flags: ${flags}${score}`,
  ];
}
