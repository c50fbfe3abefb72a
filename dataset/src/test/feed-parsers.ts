/** The parsers of all feed formats, for tests that give them bytes. */
import { FORMATS } from '../feeds/formats.ts';
import type { Parsed } from '../feeds/parsed.ts';
import { bytesContent } from '../io/content.ts';

export type ParsedFeed = Pick<Parsed, 'shape' | 'records' | 'skipped'>;

export const FEED_FORMATS: readonly string[] = Object.keys(FORMATS);

export const shapeOfFormat = (name: string): Parsed['shape'] | undefined => FORMATS[name]?.shape;

/** Undefined if there is no such format. */
export const parseFeed = (name: string, bytes: Buffer): ParsedFeed | undefined =>
  FORMATS[name]?.parse(bytesContent(bytes));
