/** The rules in use, and what decides by them. */
import { dirname } from 'node:path';
import type { Dataset } from '@whence/dataset/dataset';
import { readRegular } from '@whence/dataset/io/files';
import { runThread } from '@whence/dataset/io/thread';
import type { ServedDataset } from '../lookup/live-dataset.ts';
import { WatchedFile } from '../lookup/watched-file.ts';
import { Decider } from './decide.ts';
import { InvalidRules, type Mistake } from './parse-rules.ts';
import { knowledgeOf, reviewRules } from './review-rules.ts';
import type { RuleFile } from './rule-sets.ts';
import type { ReadRules } from './rules-thread.ts';

/** In the details of a refusal, where an operator has named no file of rules. */
export const NO_RULES = { setting: 'WHENCE_RULES' };
export const RULES_LIMITS = { maxBytes: 1 << 20, timeoutMs: 5_000 };

export function readRules(path: string, content: Buffer, signal?: AbortSignal): Promise<ReadRules> {
  return runThread(
    new URL('./rules-thread.js', import.meta.url),
    { content, folder: dirname(path) },
    signal,
  );
}

export function requireRules(read: ReadRules): Extract<ReadRules, { readonly file: RuleFile }> {
  if ('file' in read) return read;
  throw new InvalidRules(read.message, read.mistakes);
}

type RulesEvents = { loaded(file: RuleFile): void; refused(reason: string): void };

export class LiveRules extends WatchedFile {
  readonly #events: RulesEvents;
  #file: RuleFile | undefined;
  /** By set, for the dataset that they were made for. */
  #deciders = new Map<string, Decider>();
  #decidersFor: unknown;
  #reviewed:
    | { readonly file: RuleFile; readonly dataset: Dataset; readonly warnings: readonly Mistake[] }
    | undefined;
  /** Those of the present file, if it could be read. */
  mistakes: readonly Mistake[] = [];

  constructor(path: string, events: RulesEvents) {
    super(path);
    this.#events = events;
  }

  get file(): RuleFile | undefined {
    return this.#file;
  }

  decider(set: string, { dataset }: ServedDataset): Decider | undefined {
    if (this.#decidersFor !== dataset) {
      this.#deciders = new Map();
      this.#decidersFor = dataset;
    }
    const earlier = this.#deciders.get(set);
    if (earlier !== undefined) return earlier;
    const rules = this.#file?.sets.get(set);
    if (rules === undefined) return undefined;
    const decider = new Decider(rules);
    this.#deciders.set(set, decider);
    return decider;
  }

  /** Rules that can have no effect; of the same file and dataset they are looked for once. */
  warnings(dataset: Dataset): readonly Mistake[] {
    if (this.#file === undefined) return [];
    if (this.#reviewed?.file !== this.#file || this.#reviewed.dataset !== dataset)
      this.#reviewed = {
        file: this.#file,
        dataset,
        warnings: reviewRules(this.#file, knowledgeOf(dataset)),
      };
    return this.#reviewed.warnings;
  }

  protected override async load(_day: string, signal: AbortSignal): Promise<string> {
    const content = await readRegular(this.path, RULES_LIMITS);
    const read = await readRules(this.path, content, signal);
    this.parts = read.parts;
    const { file, checksum } = requireRules(read);
    this.#file = file;
    this.#decidersFor = undefined;
    this.mistakes = [];
    this.#events.loaded(file);
    return checksum;
  }

  protected override refused(reason: string, error: unknown): void {
    this.mistakes = error instanceof InvalidRules ? error.mistakes : [];
    this.#events.refused(reason);
  }
}
