/**
 * Earlier formats of the dataset file that this program still reads, by converting whole files. A change of the format adds
 * the format before it and removes older ones, so that a replica is upgraded first, continues with the file that it has,
 * and pulls from a builder of the release before until that is upgraded too.
 */
import { FORMAT_VERSION, formatOf } from './format.ts';

/** The result is checked by the caller. */
type EarlierFormat = { readonly format: number; readonly toCurrent: (file: Buffer) => Buffer<ArrayBuffer> };

const EARLIER_FORMATS: readonly EarlierFormat[] = [];

export const isReadable = (format: number): boolean =>
  format === FORMAT_VERSION || EARLIER_FORMATS.some((earlier) => earlier.format === format);

/** A file in any readable format as one in the current format. A file in an unknown format is returned as it is. */
export function inCurrentFormat(file: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const format = formatOf(file);
  return EARLIER_FORMATS.find((earlier) => earlier.format === format)?.toCurrent(file) ?? file;
}
