/** How to enrich a log, as plain data that can be passed to a thread, and the writer that follows it. */
import { AddressLookup } from './address-lookup.ts';
import type { Counts } from './counts.ts';
import { type Field, isPrivacyField, isRoutingField } from './fields.ts';
import { type CsvColumns, type CsvOptions, CsvWriter } from './formats/csv.ts';
import { rowEndFinder } from './formats/csv-row.ts';
import { linesWriter, type NdjsonOptions, ndjsonWriter } from './formats/lines.ts';
import { csvInsertion, type EnrichSources, jsonInsertion } from './insertion.ts';
import type { RecordEnds } from './record-blocks.ts';
import { findLastLineEnd, findLineEnd, lastOf, type RecordEndFinder, type RecordWriter } from './record-stream.ts';
import type { SectionSources, SectionValues } from './section-values.ts';

export type EnrichPlan =
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

/** Reads the fields of routing and privacy; undefined if there is none of them. */
export async function sectionValuesFor(plan: EnrichPlan, sources: SectionSources): Promise<SectionValues | undefined> {
  if (!fieldsOf(plan).some((field) => isRoutingField(field) || isPrivacyField(field))) return undefined;
  const { SectionValues } = await import('./section-values.ts');
  return new SectionValues(sources);
}

/** `columns` are the CSV columns, for threads that do not read the first rows. */
export function enrichmentOf(
  sources: EnrichSources,
  plan: EnrichPlan,
  counts: Counts,
  columns?: CsvColumns,
): Enrichment & { readonly columns: () => CsvColumns | undefined } {
  const findEnd = recordEndFinder(plan);
  const { dataset } = sources;
  if (plan.format === 'csv') {
    const { fields, delimiter } = plan.csv;
    const lookup = new AddressLookup(dataset, csvInsertion(sources, fields, delimiter), counts);
    const writer = new CsvWriter(lookup, plan.csv, columns);
    return { findEnd, write: (...row) => writer.write(...row), counts, columns: () => writer.columns };
  }
  const lookup = new AddressLookup(dataset, jsonInsertion(sources, plan.fields), counts);
  const write = plan.format === 'lines' ? linesWriter(lookup, plan.allAddresses) : ndjsonWriter(lookup, plan.ndjson);
  return { findEnd, write, counts, columns: () => undefined };
}
