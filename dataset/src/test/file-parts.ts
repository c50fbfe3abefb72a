/** The parts of a dataset file, for tests that take them out, exchange or damage them. */
import { decodeFile, SECTIONS, type SectionName } from '../file/format.ts';
import { HEADER_BYTES, SECTION_ROW_BYTES } from '../file/section-file.ts';

export type { SectionName } from '../file/format.ts';

export const sectionsIn = (file: Buffer): Record<SectionName, Buffer> => decodeFile(file);

/** The rows of the table of sections: the name of each section, and where its row begins. */
export const SECTION_ROWS: readonly { readonly name: SectionName; readonly at: number }[] =
  SECTIONS.map((name, i) => ({ name, at: HEADER_BYTES + i * SECTION_ROW_BYTES }));

/** Where the table of sections begins and ends. */
export const SECTION_TABLE = {
  start: HEADER_BYTES,
  end: HEADER_BYTES + SECTIONS.length * SECTION_ROW_BYTES,
} as const;
