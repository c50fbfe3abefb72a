/** How to enrich a log, and the writer that follows it. */
import { type Field, isRecordSectionField, isRoutingField } from '../fields/fields.ts';
import { AddressLookup, type FlagSelection } from './address-lookup.ts';
import type { Counts } from './counts.ts';
import { type CsvOptions, CsvWriter } from './formats/csv.ts';
import { rowEndFinder } from './formats/csv-row.ts';
import { linesWriter, type NdjsonOptions, ndjsonWriter } from './formats/lines.ts';
import { csvInsertion, type EnrichSources, type Insertion, jsonInsertion } from './insertion.ts';
import { findLineEnd, type RecordEndFinder, type RecordWriter } from './record-stream.ts';
import type { SectionSources, SectionValues } from './section-values.ts';

export type EnrichPlan = { readonly selection?: FlagSelection } & FormatPlan;

type FormatPlan =
  | {
      readonly format: 'lines';
      readonly fields: readonly Field[] | undefined;
      readonly allAddresses: boolean;
    }
  | {
      readonly format: 'ndjson';
      readonly fields: readonly Field[] | undefined;
      readonly ndjson: NdjsonOptions;
    }
  | { readonly format: 'csv'; readonly csv: CsvOptions };

export type Enrichment = {
  readonly findEnd: RecordEndFinder;
  readonly write: RecordWriter;
  readonly counts: Counts;
};

/** Returns a new finder, because the one for CSV has state. */
function recordEndFinder(plan: EnrichPlan): RecordEndFinder {
  return plan.format === 'csv' ? rowEndFinder(plan.csv.delimiter.charCodeAt(0)) : findLineEnd;
}

/** The fields that are named. The full record has no other. */
export function fieldsOf(plan: EnrichPlan): readonly Field[] {
  return plan.format === 'csv' ? plan.csv.fields : (plan.fields ?? []);
}

/** Reads the fields of routing, privacy and scanner; undefined if there is none of them. */
export async function sectionValuesFor(
  plan: EnrichPlan,
  sources: SectionSources,
): Promise<SectionValues | undefined> {
  if (!fieldsOf(plan).some((field) => isRoutingField(field) || isRecordSectionField(field)))
    return undefined;
  const { SectionValues } = await import('./section-values.ts');
  return new SectionValues(sources);
}

export function enrichmentOf(sources: EnrichSources, plan: EnrichPlan, counts: Counts): Enrichment {
  const lookup = new AddressLookup(
    sources.dataset,
    insertionFor(sources, plan),
    counts,
    plan.selection,
  );
  return {
    findEnd: recordEndFinder(plan),
    write: selecting(writerFor(plan, lookup), lookup, plan),
    counts,
  };
}

function insertionFor(sources: EnrichSources, plan: EnrichPlan): Insertion {
  if (plan.format !== 'csv') return jsonInsertion(sources, plan.fields);
  return csvInsertion(sources, plan.csv.fields, plan.csv.delimiter);
}

function writerFor(plan: EnrichPlan, lookup: AddressLookup): RecordWriter {
  if (plan.format === 'lines') return linesWriter(lookup, plan.allAddresses);
  if (plan.format === 'ndjson') return ndjsonWriter(lookup, plan.ndjson);
  const writer = new CsvWriter(lookup, plan.csv);
  return (...row) => writer.write(...row);
}

const LF = 0x0a;
const CR = 0x0d;

function selecting(
  write: RecordWriter,
  lookup: AddressLookup,
  { selection }: EnrichPlan,
): RecordWriter {
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
