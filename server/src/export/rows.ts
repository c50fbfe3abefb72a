// The runs of a dataset that match the filter, in batches that yield to the event loop, and the networks of each run.
import { setImmediate } from 'node:timers/promises';
import { prefixLength } from '@whence/dataset/internal/file/format';
import { addressBits, formatPrefix, fromBigInt, lastAddress, prefixesOfRange } from '@whence/dataset/prefix';
import type { AddressMembers } from '../address/sections.ts';
import { fieldsOfSections, type SectionField } from '../fields/fields.ts';
import { FIELDS, type Fields, FieldsReader } from './fields.ts';
import { type ExportRun, SectionReader, type SectionSources } from './section-reader.ts';

export type Selection = SectionSources & {
  readonly vrpsAsOf?: Date | undefined;
  readonly matches: (fields: Fields) => boolean;
  readonly onProgress: (step: string, share: number) => void;
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
  readonly members?: AddressMembers | undefined;
};

export const COLUMNS = ['network', 'prefix', ...FIELDS] as const;
export const sectionColumns = ({ sections }: Pick<Selection, 'sections'>): readonly SectionField[] =>
  fieldsOfSections(sections);

const RUNS_PER_BATCH = 4096;

export async function* selectRuns(selection: Selection): AsyncGenerator<ExportRun[]> {
  const { dataset, matches, onProgress } = selection;
  const { ipv4_intervals, ipv6_intervals } = dataset.meta.counts;
  const reader = new FieldsReader(dataset);
  const sections = selection.sections.size === 0 ? undefined : new SectionReader(selection);
  let seen = 0;
  let batch: ExportRun[] = [];
  for (const version of [4, 6] as const) {
    onProgress(`exporting IPv${version}`, seen / (ipv4_intervals + ipv6_intervals));
    for (const { start, end, match } of dataset.runs(version)) {
      const fields = reader.fieldsOf(match);
      if (matches(fields)) {
        const run = { version, start, end, prefixLength: prefixLength(match), fields };
        if (sections === undefined) batch.push(run);
        else for (const part of sections.split(run, match)) batch.push(part);
      }
      if (++seen % RUNS_PER_BATCH !== 0) continue;
      onProgress(`exporting IPv${version}`, seen / (ipv4_intervals + ipv6_intervals));
      if (batch.length > 0) yield batch;
      batch = [];
      await setImmediate();
    }
  }
  if (batch.length > 0) yield batch;
}

export function* rowsOf(run: ExportRun): Generator<Row> {
  const { version, start, end, prefixLength: announced, fields, members } = run;
  const bits = addressBits(version);
  const prefix = formatPrefix(fromBigInt(start, version), announced);
  for (const [base, length] of prefixesOfRange(start, end, bits)) {
    const network = length === announced ? prefix : formatPrefix(fromBigInt(base, version), length);
    yield { version, start: base, end: lastAddress(base, length, bits), network, prefix, fields, members };
  }
}
