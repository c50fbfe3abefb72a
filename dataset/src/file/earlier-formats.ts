/**
 * Earlier formats of the dataset file that this program can still read and write, by converting whole files. During an
 * upgrade one builder serves replicas of two releases, and a replica that was upgraded continues with the file it has. A
 * change of the format adds the format before it here and removes older ones. Before format 5 there was no release.
 */
import { DatasetError } from '../dataset-error.ts';
import { FORMAT_VERSION, formatOf } from './format.ts';

type EarlierFormat = {
  readonly format: number;
  /** The result is checked by the caller. */
  readonly toCurrent: (file: Buffer) => Buffer<ArrayBuffer>;
  readonly fromCurrent: (file: Buffer) => Buffer;
};

const EARLIER_FORMATS: readonly EarlierFormat[] = [];

/** From the newest. */
export const FORMATS: readonly number[] = [FORMAT_VERSION, ...EARLIER_FORMATS.map(({ format }) => format)];

export const isReadable = (format: number): boolean => FORMATS.includes(format);

/** A file in any format as one in the current format. A file in an unknown format is returned as it is. */
export function inCurrentFormat(file: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const format = formatOf(file);
  return EARLIER_FORMATS.find((earlier) => earlier.format === format)?.toCurrent(file) ?? file;
}

/** A file in the current format as one in another. */
export function inFormat(file: Buffer, format: number): Buffer {
  if (format === FORMAT_VERSION) return file;
  const earlier = EARLIER_FORMATS.find((candidate) => candidate.format === format);
  if (earlier === undefined)
    throw new DatasetError(`format ${format} cannot be written by this version, which writes ${FORMATS.join(' and ')}`);
  return earlier.fromCurrent(file);
}
