/**
 * The rules file of `wh decide`, and `wh decide check rules.yaml`: whether it is valid, and what is
 * suspicious about it.
 */

import { DatasetError } from '@whence/dataset/dataset-error';
import { readRegular, UnusableFile } from '@whence/dataset/io/files';
import { TookTooLong } from '@whence/dataset/io/thread';
import { Decider } from '../../rules/decide.ts';
import { RULES_LIMITS, readRules, requireRules } from '../../rules/live-rules.ts';
import { InvalidRules } from '../../rules/parse-rules.ts';
import { type DatasetKnowledge, knowledgeOf, reviewRules } from '../../rules/review-rules.ts';
import { DEFAULT_SET, type RuleFile } from '../../rules/rule-sets.ts';
import { type ExitCode, InputError, NegativeAnswer, UsageError } from '../../terminal/exit.ts';
import { isSystemError } from '../../terminal/file-errors.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { countOf } from '../../terminal/table.ts';
import { openLocalDataset } from '../local-dataset.ts';

/** `toError`: for a file that is not valid. */
export async function openRules(
  path: string,
  toError: (message: string) => Error = (message) => new InputError(message),
): Promise<RuleFile> {
  try {
    const bytes = await readRegular(path, RULES_LIMITS);
    if (bytes.length === 0) throw new InputError(`${path} is empty`);
    return requireRules(await readRules(path, bytes)).file;
  } catch (error) {
    if (error instanceof InvalidRules)
      throw toError(
        error.mistakes
          .map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`)
          .join('\n'),
      );
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new InputError(`${path} does not exist`);
    if (error instanceof UnusableFile || error instanceof TookTooLong)
      throw new InputError(`${path} ${error.message}`);
    if (isSystemError(error)) throw new InputError(`cannot read ${path}: ${error.message}`);
    throw error;
  }
}

export function openDecider(file: RuleFile, path: string, set = DEFAULT_SET): Decider {
  const rules = file.sets.get(set);
  if (rules === undefined)
    throw new UsageError(
      `${path} has no set ${set}; it has ${[...file.sets.keys()].join(', ') || 'none'}`,
    );
  return new Decider(rules);
}

export async function checkRules(
  path: string,
  dataDir: string,
  { stdout, stderr }: CommandStreams,
): Promise<ExitCode> {
  const file = await openRules(path, (message) => new NegativeAnswer(message));
  const warnings = reviewRules(file, knowledgeIn(dataDir));
  for (const { line, column, message } of warnings)
    stderr.write(`${path}:${line}:${column}: warning: ${message}\n`);
  const rules = [...file.sets.values()].reduce((sum, set) => sum + set.rules.length, 0);
  const lists = file.lists.size === 0 ? '' : `, ${countOf(file.lists.size, 'list')}`;
  stdout.write(
    `${path} is valid: ${countOf(file.sets.size, 'set')} with ${countOf(rules, 'rule')}${lists}\n`,
  );
  return 0;
}

/** A machine that only checks files need not have a dataset. */
function knowledgeIn(dataDir: string): DatasetKnowledge | undefined {
  try {
    return knowledgeOf(openLocalDataset(dataDir));
  } catch (error) {
    if (error instanceof DatasetError) return undefined;
    throw error;
  }
}
