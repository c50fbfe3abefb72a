/** `wh enrich --url`: the addresses of each chunk of the log are asked in batches, then the chunk is written. */
import { type Address, formatAddress } from '@whence/dataset/address';
import { asciiJson } from '@whence/dataset/internal/file/texts/ascii-writer';
import type { FlagSelection, RecordLookup } from '../../enrich/address-lookup.ts';
import { type Counts, newCounts } from '../../enrich/counts.ts';
import type { EnrichWork } from '../../enrich/enrich.ts';
import { OutputBuffer } from '../../enrich/output-buffer.ts';
import { type EnrichPlan, enrichmentWith, fieldsOf } from '../../enrich/plan.ts';
import { RecordStream } from '../../enrich/record-stream.ts';
import { cellText, sectionOf } from '../../fields/fields.ts';
import { quoteCell } from '../../terminal/printable.ts';
import { fieldValue, type IpAnswer, type IpSource, isFound, NO_DATA } from '../lookup/ip-answer.ts';
import { remoteIpSource } from '../lookup/remote-lookups.ts';
import type { RemoteServer } from '../remote/remote-server.ts';

/** Answers that are kept for later chunks: about 60 MB. All are dropped when there are more. */
const MAX_KEPT = 100_000;

export function remoteWork(server: RemoteServer, plan: EnrichPlan): EnrichWork {
  const include = new Set(fieldsOf(plan).flatMap((field) => sectionOf(field) ?? []));
  const source = remoteIpSource(server, { explain: false, include });
  const answers = new Map<string, IpAnswer>();
  const counts = newCounts();
  return {
    counts,
    async run({ chunks }, sink, onChunk) {
      const output = new OutputBuffer();
      // The first pass only collects addresses; both see the same bytes, so that the columns of CSV are the same.
      const unknown = new Map<string, Address>();
      const collecting = new AnsweredLookup(plan, newCounts(), answers, unknown);
      const first = recordsOf(plan, collecting, new OutputBuffer());
      const records = recordsOf(plan, new AnsweredLookup(plan, counts, answers, unknown), output);
      const pass = async (feed: (stream: RecordStream) => void) => {
        feed(first.records);
        first.output.take();
        await ask(source, unknown, answers);
        feed(records.records);
        if (output.length > 0) await sink.write(output.take());
        if (answers.size > MAX_KEPT) answers.clear();
        onChunk();
      };
      for await (const chunk of chunks) await pass((stream) => stream.feed(chunk));
      await pass((stream) => stream.end());
    },
  };
}

function recordsOf(plan: EnrichPlan, lookup: RecordLookup, output: OutputBuffer) {
  const { findEnd, write } = enrichmentWith(lookup, plan);
  return { records: new RecordStream(findEnd, write, lookup.counts, output), output };
}

async function ask(source: IpSource, unknown: Map<string, Address>, answers: Map<string, IpAnswer>): Promise<void> {
  const found = await source.find([...unknown.values()]);
  for (const [i, ip] of [...unknown.keys()].entries()) answers.set(ip, found[i] as IpAnswer);
  unknown.clear();
}

/** Appends what the server has answered, and notes the addresses that it was not asked for yet. */
class AnsweredLookup implements RecordLookup {
  readonly counts: Counts;
  readonly #textOf: (answer: IpAnswer) => string;
  readonly #selection: FlagSelection | undefined;
  readonly #answers: ReadonlyMap<string, IpAnswer>;
  readonly #unknown: Map<string, Address>;
  #hasOnly = false;
  #hasNot = false;

  constructor(plan: EnrichPlan, counts: Counts, answers: ReadonlyMap<string, IpAnswer>, unknown: Map<string, Address>) {
    this.counts = counts;
    this.#textOf = textOf(plan);
    this.#selection = plan.selection;
    this.#answers = answers;
    this.#unknown = unknown;
  }

  append(address: Address, output: OutputBuffer): void {
    const ip = formatAddress(address);
    const answer = this.#answers.get(ip);
    if (answer === undefined) {
      this.#unknown.set(ip, address);
      return;
    }
    this.counts.addresses++;
    this.counts[isFound(answer) ? 'found' : 'not_found']++;
    if (isFound(answer)) {
      this.#hasOnly ||= this.#selection?.only?.some((flag) => answer.detection[flag]) === true;
      this.#hasNot ||= this.#selection?.not.some((flag) => answer.detection[flag]) === true;
    }
    output.append(Buffer.from(this.#textOf(answer)));
  }

  startRecord(): void {
    this.#hasOnly = this.#selection?.only === undefined;
    this.#hasNot = false;
  }

  keepRecord(): void {
    this.#hasOnly = true;
  }

  get isRecordKept(): boolean {
    return this.#hasOnly && !this.#hasNot;
  }
}

/** The same bytes as `insertion.ts` makes of the dataset. */
function textOf(plan: EnrichPlan): (answer: IpAnswer) => string {
  if (plan.format === 'csv') {
    const { fields, delimiter } = plan.csv;
    return (answer) =>
      fields
        .map((field) => (isFound(answer) || field === 'ip' ? fieldValue(answer, field) : undefined))
        .map((value) => delimiter + quoteCell(cellText(value), delimiter))
        .join('');
  }
  const { fields } = plan;
  return (answer) => {
    if (!isFound(answer)) return asciiJson({ ip: answer.ip, error: NO_DATA });
    return asciiJson(
      fields === undefined ? answer : Object.fromEntries(fields.map((field) => [field, fieldValue(answer, field)])),
    );
  };
}
