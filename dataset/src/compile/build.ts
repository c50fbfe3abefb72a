// A dataset from its sources: the pinned npm packages and the tables of this repository, and the
// feeds, where they were fetched. The caller checks and publishes it.
import { dayOfMs } from '../day.ts';
import type { IngestedFeed } from '../feeds/ingest.ts';
import { Dataset } from '../file/read.ts';
import { type Content, encodeContent, encodeDataset } from '../file/write.ts';
import type { Refusal } from '../record.ts';
import { compile, compileBeside } from './compile.ts';
import { readEmbedded, readEmbeddedBeside } from './embedded.ts';
import { type Progress, sourcesOf } from './input/compile-input.ts';
import { liveInput } from './live.ts';

export type { Content } from '../file/write.ts';

type BuildSources = {
  /** The folder of an npm package, whose files may be compressed. */
  readonly locate: (packageName: string) => string | undefined;
  readonly feeds?: readonly IngestedFeed[];
  readonly refused?: readonly Refusal[];
};

export type Build = {
  readonly content: Content;
  /** Reads the content. */
  readonly dataset: Dataset;
  /** The ids of the sources that every dataset has. */
  readonly embedded: ReadonlySet<string>;
};

/** Shares of the time: reading the packages, and merging what was read. */
const READING = 0.25;
const MERGING = 0.6;

/**
 * Without feeds in threads. With them, the copies of a thread would add 0.15 GB to a peak of 1 GB.
 */
export async function build(
  { locate, feeds, refused = [] }: BuildSources,
  now: Date,
  progress: Progress = () => {},
): Promise<Build> {
  const day = dayOfMs(now.getTime());
  const reading: Progress = (step, share) => progress(step, share * READING);
  const merging: Progress = (step, share) => progress(step, READING + share * MERGING);
  const embedded =
    feeds === undefined ? await readEmbeddedBeside(locate, reading) : readEmbedded(locate, reading);
  const compiled =
    feeds === undefined
      ? await compileBeside({ ...embedded, day }, merging)
      : compile(liveInput(embedded, feeds, day), merging);
  progress('writing', READING + MERGING);
  const content = encodeContent(compiled, refused);
  const dataset = new Dataset(encodeDataset(content, 1, now));
  progress('checking', 0.95);
  return { content, dataset, embedded: new Set(sourcesOf(embedded).map(({ id }) => id)) };
}
