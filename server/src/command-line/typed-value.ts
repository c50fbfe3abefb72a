/**
 * The command that `wh 8.8.8.8` and other values without a command stand for, recognised by their
 * form.
 */
import { statSync } from 'node:fs';
import { closestName } from '../closest-name.ts';
import { UsageError } from '../terminal/exit.ts';
import { PROGRAM } from '../terminal/program-name.ts';
import { COMMAND_NAMES } from './commands.ts';

/** A wrong value of the form, such as 8.8.8.999, is for its command to refuse. */
const FORMS: readonly (readonly [command: string, form: RegExp])[] = [
  ['prefix', /^[\da-f:.]+\/\d+$/i],
  ['ip', /^(?:\d+\.[\d.]+|[\da-f.]*:[\da-f:.]*)(?:-[\da-f:.]+)?$/i],
  ['asn', /^as\d+(?:-(?:as)?\d+)?$/i],
  // example.com, example.com., user@example.com, https://example.com:8443/x?y, example.com/x
  [
    'email',
    /^(?:https?:\/\/(?:[^\s@/?#]+@)?|mailto:|[^\s@/]+@)?(?:[^\s@/:.?#]+\.)+[^\s@/:.?#\d][^\s@/:.?#]+\.?(?::\d{1,5})?(?:[/?#]\S*)?$/i,
  ],
];

/** Throws a UsageError if there is none. */
export function commandOf(word: string): string {
  const command = FORMS.find(([, form]) => form.test(word.trim()))?.[0];
  // `access.log` has the form of a domain. So have names of folders, and no command reads one.
  const isFile = statSync(word, { throwIfNoEntry: false })?.isDirectory() === false;
  if (command !== undefined && !isFile) return command;
  const meant = isFile ? `summarize ${word}` : closestName(word.toLowerCase(), COMMAND_NAMES);
  throw new UsageError(
    `${JSON.stringify(word)} is not a command, an address, a prefix, an AS number or a domain` +
      (meant === undefined ? '' : `; did you mean: ${PROGRAM} ${meant}`),
  );
}
