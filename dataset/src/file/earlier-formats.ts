// Earlier formats that this program still reads, by converting whole files: the one before, so that a replica can be
// upgraded before its builder.
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
