/**
 * The content of an export: the runs of a dataset that match the filter, and the CIDR networks of each run.
 *
 * Runs come in batches that yield to the event loop, so that progress is drawn and signals are handled.
 */
import { setImmediate } from 'node:timers/promises';
import { prefixLength } from '@whence/dataset/format';
import { addressBits, formatPrefix, fromBigInt, lastAddress, prefixesOfRange } from '@whence/dataset/prefix';
import type { Dataset } from '@whence/dataset/read';
import { FIELDS, type Fields, FieldsReader } from './fields.ts';

export type Selection = {
  readonly dataset: Dataset;
  readonly matches: (fields: Fields) => boolean;
  readonly onProgress: (step: string, share: number) => void;
};

/** Consecutive addresses with one record in one announced prefix; both ends inclusive. */
type ExportRun = {
  readonly version: 4 | 6;
  readonly start: bigint;
  readonly end: bigint;
  readonly prefixLength: number;
  readonly fields: Fields;
};

export type Row = {
  readonly version: 4 | 6;
  readonly start: bigint;
  readonly end: bigint;
  /** The addresses of the row, in CIDR form. */
  readonly network: string;
  /** The announced prefix that contains them. */
  readonly prefix: string;
  readonly fields: Fields;
};

/** Columns of every tabular format. */
export const COLUMNS = ['network', 'prefix', ...FIELDS] as const;

const RUNS_PER_BATCH = 4096;

export async function* selectRuns({ dataset, matches, onProgress }: Selection): AsyncGenerator<ExportRun[]> {
  const { ipv4_intervals, ipv6_intervals } = dataset.meta.counts;
  const reader = new FieldsReader(dataset);
  let seen = 0;
  let batch: ExportRun[] = [];
  for (const version of [4, 6] as const) {
    onProgress(`exporting IPv${version}`, seen / (ipv4_intervals + ipv6_intervals));
    for (const { start, end, match } of dataset.runs(version)) {
      const fields = reader.fieldsOf(match);
      if (matches(fields)) batch.push({ version, start, end, prefixLength: prefixLength(match), fields });
      if (++seen % RUNS_PER_BATCH !== 0) continue;
      onProgress(`exporting IPv${version}`, seen / (ipv4_intervals + ipv6_intervals));
      if (batch.length > 0) yield batch;
      batch = [];
      await setImmediate();
    }
  }
  if (batch.length > 0) yield batch;
}

/** The networks that make up a run, in order. */
export function* rowsOf({ version, start, end, prefixLength: announced, fields }: ExportRun): Generator<Row> {
  const bits = addressBits(version);
  const prefix = formatPrefix(fromBigInt(start, version), announced);
  for (const [base, length] of prefixesOfRange(start, end, bits)) {
    const network = length === announced ? prefix : formatPrefix(fromBigInt(base, version), length);
    yield { version, start: base, end: lastAddress(base, length, bits), network, prefix, fields };
  }
}
