/** `wh ip --history`, `--dataset-version` and `--at`: records of addresses in earlier versions of the local dataset. */
import { type Address, formatAddress, parseAddress } from '@whence/dataset/address';
import { DatasetError } from '@whence/dataset/dataset-error';
import type { Dataset } from '@whence/dataset/internal/file/read';
import {
  inUseFor,
  PastVersions,
  type RecordSpan,
  type WantedVersion,
} from '@whence/dataset/internal/history/past-versions';
import type { IpRecord } from '@whence/dataset/record';
import { evidenceOf, specialPurposeOf } from '../lookup/lookup.ts';
import { isDay } from '../quota/day.ts';
import type { Environment } from '../settings/config.ts';
import { type ExitCode, UsageError } from '../terminal/exit.ts';
import type { Output } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { PROGRAM } from '../terminal/program-name.ts';
import { type Style, styleOf } from '../terminal/style.ts';
import { formatAnswer } from './ip.ts';
import { openLocalDataset } from './local-dataset.ts';
import { flagsOf, type IpAnswer, isFound, missingAnswer } from './lookup/ip-answer.ts';

type PastOptions = { json?: boolean; explain?: boolean; history?: boolean; datasetVersion?: number; at?: string };

export function pastIpCommand(
  dataDir: string,
  texts: readonly string[],
  options: PastOptions,
  now: Date,
  { stdout, environment }: { readonly stdout: Output; readonly environment: Environment },
): ExitCode {
  if (options.at !== undefined && !isDay(options.at))
    throw new UsageError(`invalid day ${JSON.stringify(options.at)}: must be a day such as 2026-11-15`);
  const dataset = openLocalDataset(dataDir);
  const past = new PastVersions(dataDir);
  const style = styleOf(stdout, environment);
  const hasRecord = requireAddresses(texts).map((address) => {
    if (options.history === true) {
      const spans = past.history(address, inUseFor(dataset, address));
      stdout.write(options.json === true ? historyJson(address, spans) : historyText(address, spans, style));
      return spans.some(({ record }) => record !== undefined);
    }
    const answer = answerOf(past, dataset, address, options, now);
    stdout.write(options.json === true ? `${JSON.stringify(answer)}\n` : formatAnswer(answer, style));
    return isFound(answer);
  });
  return hasRecord.every(Boolean) ? 0 : 1;
}

/** All of them, before the first is looked up. */
function requireAddresses(texts: readonly string[]): Address[] {
  if (texts.length === 0) throw new UsageError('--history, --dataset-version and --at need an address');
  const invalid = texts.filter((text) => parseAddress(text) === undefined);
  if (invalid.length > 0)
    throw new UsageError(`invalid IP address: ${invalid.map((text) => JSON.stringify(text)).join(', ')}`);
  return texts.flatMap((text) => parseAddress(text) ?? []);
}

function answerOf(
  past: PastVersions,
  dataset: Dataset,
  address: Address,
  { explain = false, datasetVersion, at = '' }: PastOptions,
  now: Date,
): IpAnswer {
  const wanted: WantedVersion = datasetVersion === undefined ? { day: at } : { version: datasetVersion };
  const found = past.record(wanted, address, inUseFor(dataset, address), { explained: explain, now });
  const name = datasetVersion === undefined ? `a version of ${at}` : `version ${datasetVersion}`;
  if (found.kind === 'not kept')
    throw new DatasetError(
      `${name} is not kept; see which are with: ${PROGRAM} ip ${formatAddress(address)} --history`,
    );
  if (found.kind === 'no evidence')
    throw new DatasetError(`the evidence of ${name} is not kept, only its records; look it up without --explain`);
  if (found.kind === 'found' && found.json !== undefined) return JSON.parse(found.json) as IpAnswer;
  const match = found.kind === 'in use' ? dataset.find(address) : 0;
  if (match === 0) return missingAnswer(formatAddress(address), specialPurposeOf({ address }));
  const evidence = explain ? { evidence: evidenceOf(dataset, { address, match }) } : {};
  return { ...dataset.record(address, match), ...evidence };
}

function historyJson(address: Address, spans: readonly RecordSpan[]): string {
  const changes = spans.map(({ record, ...span }) => ({ ...span, ...(record && { record: JSON.parse(record) }) }));
  return `${JSON.stringify({ ip: formatAddress(address), changes })}\n`;
}

/** A block for each span: a table with all columns would be too wide for a terminal. */
function historyText(address: Address, spans: readonly RecordSpan[], style: Style): string {
  const blocks = spans.map(({ from_version, to_version, from, to, record }) => {
    const [first, last] = [from.slice(0, 10), to.slice(0, 10)];
    const versions =
      from_version === to_version ? `version ${to_version}` : `versions ${from_version} to ${to_version}`;
    const built = first === last ? last : `${first} to ${last}`;
    const rows = record === undefined ? ['no data found for IP'] : recordRows(JSON.parse(record) as IpRecord);
    return `  ${versions}, built ${built}\n${rows.map((row) => `    ${printable(row)}\n`).join('')}`;
  });
  return `${style.bold(formatAddress(address))}\n${blocks.join('')}\n`;
}

function recordRows(record: IpRecord): string[] {
  const { prefix, asn, asn_name, country, connection_type, threat } = record;
  const flags = flagsOf(record).join(', ') || 'none';
  return [
    `${prefix}  AS${asn} ${asn_name}`,
    `${country}, ${connection_type}, flags: ${flags}, threat ${threat.score} of 100, ${threat.level}`,
  ];
}
