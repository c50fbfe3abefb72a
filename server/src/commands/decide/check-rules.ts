/** The rules file of `wh decide`, and `wh decide check rules.yaml`: whether it is valid, and what is suspicious about it. */
import { DatasetError } from '@whence/dataset/dataset-error';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { readRegular, UnusableFile } from '@whence/dataset/internal/io/regular-file';
import { TookTooLong } from '@whence/dataset/internal/io/run-thread';
import { Decider, unknownFlagsOf } from '../../rules/decide.ts';
import { RULES_LIMITS, readRules, requireRules } from '../../rules/live-rules.ts';
import { InvalidRules } from '../../rules/parse-rules.ts';
import { type Known, knownTo, reviewRules } from '../../rules/review-rules.ts';
import { DEFAULT_SET, type RuleFile } from '../../rules/rule-sets.ts';
import { CommandError, type ExitCode } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { countOf } from '../../terminal/table.ts';
import { openLocalDataset } from '../local-dataset.ts';

export async function openRules(path: string): Promise<RuleFile> {
  try {
    return requireRules(await readRules(path, await readRegular(path, RULES_LIMITS))).file;
  } catch (error) {
    if (error instanceof InvalidRules)
      throw new CommandError(
        error.mistakes.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`).join('\n'),
      );
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new CommandError(`${path} does not exist`);
    if (error instanceof UnusableFile || error instanceof TookTooLong)
      throw new CommandError(`${path} ${error.message}`);
    throw error;
  }
}

export function openDecider(file: RuleFile, path: string, set = DEFAULT_SET, dataset: Dataset): Decider {
  const found = file.sets.get(set);
  if (found === undefined)
    throw new CommandError(`${path} has no set ${set}; it has ${[...file.sets.keys()].join(', ') || 'none'}`);
  return new Decider(found, unknownFlagsOf(dataset));
}

export async function checkRules(path: string, dataDir: string, { stdout, stderr }: CommandStreams): Promise<ExitCode> {
  const file = await openRules(path);
  const warnings = reviewRules(file, knownIn(dataDir));
  for (const { line, column, message } of warnings) stderr.write(`${path}:${line}:${column}: warning: ${message}\n`);
  const rules = [...file.sets.values()].reduce((sum, set) => sum + set.rules.length, 0);
  const lists = file.lists.size === 0 ? '' : `, ${countOf(file.lists.size, 'list')}`;
  stdout.write(`${path} is valid: ${countOf(file.sets.size, 'set')} with ${countOf(rules, 'rule')}${lists}\n`);
  return 0;
}

/** A machine that only checks files need not have a dataset. */
function knownIn(dataDir: string): Known | undefined {
  try {
    return knownTo(openLocalDataset(dataDir));
  } catch (error) {
    if (error instanceof DatasetError) return undefined;
    throw error;
  }
}
