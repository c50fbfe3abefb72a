// The runs of a dataset that match the filter, in batches that yield to the event loop, and the
// networks of each run.
import { setImmediate } from 'node:timers/promises';
import { prefixLength } from '@whence/dataset/match';
import { addressBits, formatPrefix, fromBigInt, prefixesOfRange } from '@whence/dataset/prefix';
import { fieldsOfSections, type SectionField } from '../fields/fields.ts';
import { FIELDS, type Fields, FieldsReader } from './fields.ts';
import { type ExportRun, SectionReader, type SectionSources } from './section-reader.ts';

export type Selection = SectionSources & {
  readonly vrpsAsOf?: Date | undefined;
  readonly matches: (fields: Fields) => boolean;
  readonly onProgress: (step: string, share: number) => void;
};

export type Row = {
  /** The addresses of the row, in CIDR form. */
  readonly network: string;
  /** The announced prefix that contains them. */
  readonly prefix: string;
};

export const COLUMNS = ['network', 'prefix', ...FIELDS] as const;
export const sectionColumns = ({
  sections,
}: Pick<Selection, 'sections'>): readonly SectionField[] => fieldsOfSections(sections);

const RUNS_PER_BATCH = 4096;

export async function* selectRuns(selection: Selection): AsyncGenerator<ExportRun[]> {
  const { dataset, matches, onProgress } = selection;
  const { ipv4_intervals, ipv6_intervals } = dataset.meta.counts;
  const sections = selection.sections.size === 0 ? undefined : new SectionReader(selection);
  let seen = 0;
  let batch: ExportRun[] = [];
  for (const version of [4, 6] as const) {
    const reader = new FieldsReader(dataset, version);
    onProgress(`exporting IPv${version}`, seen / (ipv4_intervals + ipv6_intervals));
    for (const { start, end, match } of dataset.runs(version)) {
      const fields = reader.fieldsOf(match);
      if (matches(fields)) {
        const members = sections?.membersOf(fromBigInt(start, version), match);
        batch.push({ version, start, end, prefixLength: prefixLength(match), fields, members });
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
  const { version, start, end, prefixLength: announced } = run;
  const bits = addressBits(version);
  const prefix = formatPrefix(fromBigInt(start, version), announced);
  for (const [base, length] of prefixesOfRange(start, end, bits)) {
    const network = length === announced ? prefix : formatPrefix(fromBigInt(base, version), length);
    yield { network, prefix };
  }
}
