/** How to enrich a log, as plain data that can be passed to a thread, and the writer that follows it. */
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { Overrides } from '@whence/dataset/internal/overrides/overrides';
import { type Field, isRecordSectionField, isRoutingField } from '../fields/fields.ts';
import { AddressLookup, type FlagSelection, type RecordLookup } from './address-lookup.ts';
import type { Counts } from './counts.ts';
import { type CsvColumns, type CsvOptions, CsvWriter } from './formats/csv.ts';
import { rowEndFinder } from './formats/csv-row.ts';
import { linesWriter, type NdjsonOptions, ndjsonWriter } from './formats/lines.ts';
import { csvInsertion, type EnrichSources, jsonInsertion } from './insertion.ts';
import type { RecordEnds } from './record-blocks.ts';
import { findLastLineEnd, findLineEnd, lastOf, type RecordEndFinder, type RecordWriter } from './record-stream.ts';
import type { SectionSources, SectionValues } from './section-values.ts';

export type EnrichPlan = { readonly selection?: FlagSelection } & FormatPlan;

type FormatPlan =
  | { readonly format: 'lines'; readonly fields: readonly Field[] | undefined; readonly allAddresses: boolean }
  | { readonly format: 'ndjson'; readonly fields: readonly Field[] | undefined; readonly ndjson: NdjsonOptions }
  | { readonly format: 'csv'; readonly csv: CsvOptions };

export type Enrichment = { readonly findEnd: RecordEndFinder; readonly write: RecordWriter; readonly counts: Counts };

/** Returns a new finder, because the one for CSV has state. */
function recordEndFinder(plan: EnrichPlan): RecordEndFinder {
  return plan.format === 'csv' ? rowEndFinder(plan.csv.delimiter.charCodeAt(0)) : findLineEnd;
}

export function recordEnds(plan: EnrichPlan): RecordEnds {
  const first = recordEndFinder(plan);
  return { first, last: plan.format === 'csv' ? lastOf(first) : findLastLineEnd };
}

/** The fields that are named. The full record has no other. */
export function fieldsOf(plan: EnrichPlan): readonly Field[] {
  return plan.format === 'csv' ? plan.csv.fields : (plan.fields ?? []);
}

/** With the operator's overrides, whose code is loaded only where there are some. */
export async function overridden(dataset: Dataset, overrides: Overrides | undefined): Promise<Dataset> {
  if (overrides === undefined) return dataset;
  const { withOverrides } = await import('@whence/dataset/internal/overrides/overlaid-dataset');
  return withOverrides(dataset, overrides);
}

/** Reads the fields of routing, privacy and scanner; undefined if there is none of them. */
export async function sectionValuesFor(plan: EnrichPlan, sources: SectionSources): Promise<SectionValues | undefined> {
  if (!fieldsOf(plan).some((field) => isRoutingField(field) || isRecordSectionField(field))) return undefined;
  const { SectionValues } = await import('./section-values.ts');
  return new SectionValues(sources);
}

/** `columns` are the CSV columns, for threads that do not read the first rows. */
export function enrichmentOf(sources: EnrichSources, plan: EnrichPlan, counts: Counts, columns?: CsvColumns) {
  const insertion =
    plan.format === 'csv'
      ? csvInsertion(sources, plan.csv.fields, plan.csv.delimiter)
      : jsonInsertion(sources, plan.fields);
  return enrichmentWith(new AddressLookup(sources.dataset, insertion, counts, plan.selection), plan, columns);
}

export function enrichmentWith(
  lookup: RecordLookup,
  plan: EnrichPlan,
  columns?: CsvColumns,
): Enrichment & { readonly columns: () => CsvColumns | undefined } {
  const findEnd = recordEndFinder(plan);
  const { counts } = lookup;
  if (plan.format === 'csv') {
    const writer = new CsvWriter(lookup, plan.csv, columns);
    const write: RecordWriter = (...row) => writer.write(...row);
    return { findEnd, write: selecting(write, lookup, plan), counts, columns: () => writer.columns };
  }
  const write = plan.format === 'lines' ? linesWriter(lookup, plan.allAddresses) : ndjsonWriter(lookup, plan.ndjson);
  return { findEnd, write: selecting(write, lookup, plan), counts, columns: () => undefined };
}

const [LF, CR] = [0x0a, 0x0d];

function selecting(write: RecordWriter, lookup: RecordLookup, { selection }: EnrichPlan): RecordWriter {
  if (selection === undefined) return write;
  return (bytes, start, end, output) => {
    output.copyTo(start);
    const mark = output.length;
    lookup.startRecord();
    write(bytes, start, end, output);
    if (lookup.isRecordKept) return;
    const lineEnd = bytes[end] === CR ? end + 1 : end;
    output.drop(mark, bytes[lineEnd] === LF ? lineEnd + 1 : end);
  };
}
