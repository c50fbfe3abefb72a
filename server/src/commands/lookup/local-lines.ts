/**
 * JSON lines and CSV of many addresses, by the cached insertions of `enrich`; the same bytes as
 * `formatLine`.
 */
import { type Address, formatAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { csvInsertion, type Insertion, jsonInsertion } from '../../enrich/insertion.ts';
import { OutputBuffer } from '../../enrich/output-buffer.ts';
import {
  type AnswerLines,
  type DataFormat,
  formatLine,
  missingAnswer,
  withoutIp,
} from './ip-answer.ts';

const LINE_END = 0x0a;
const COMMA = 0x2c;

export class LocalLines implements AnswerLines {
  readonly output = new OutputBuffer();
  readonly #dataset: Dataset;
  readonly #format: DataFormat;
  readonly #insertion: Insertion;

  constructor(dataset: Dataset, format: DataFormat) {
    this.#dataset = dataset;
    this.#format = format;
    this.#insertion =
      format.kind === 'json'
        ? jsonInsertion({ dataset }, format.fields && ['ip', ...withoutIp(format.fields)])
        : csvInsertion({ dataset }, ['ip', ...withoutIp(format.fields)], ',');
  }

  append(address: Address): boolean {
    const { output } = this;
    const match = this.#dataset.find(address);
    if (match === 0) {
      const answer = missingAnswer(formatAddress(address), findSpecialPurpose(address));
      output.append(Buffer.from(formatLine(answer, this.#format, () => undefined)));
      return false;
    }
    const start = output.length;
    this.#insertion.append(address, match, output);
    if (this.#format.kind === 'csv') {
      // The insertion begins with a comma, because it follows other columns; here it is the first
      // one.
      output.bytes.copyWithin(start, start + 1, output.length);
      // And the column `error` is empty.
      output.bytes[output.length - 1] = COMMA;
    }
    output.appendByte(LINE_END);
    return true;
  }
}
