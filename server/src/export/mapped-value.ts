/** The value that a network has in a map for HAProxy or nginx: the field chosen with `--value`, or 1 for every match. */
import { FLAGS } from '@whence/dataset/record';
import { UsageError } from '../terminal/exit.ts';
import { FIELDS, type Fields } from './fields.ts';

const MAPPED_FIELDS = FIELDS.filter((name) => !FLAGS.some((flag) => flag === name));

export type MappedValue = {
  /** Undefined: 1 for every match. */
  readonly field: keyof Fields | undefined;
  /** Undefined if the network has no such value; it is then left out. */
  readonly of: (fields: Fields) => string | undefined;
};

export function parseMappedValue(option: string | undefined): MappedValue {
  if (option === undefined) return { field: undefined, of: () => '1' };
  const field = MAPPED_FIELDS.find((name) => name === option);
  if (field === undefined)
    throw new UsageError(
      `--value is ${JSON.stringify(option)}, but must be one of ${MAPPED_FIELDS.join(', ')}; for a flag use --flag without --value`,
    );
  return { field, of: (fields) => (fields[field] === undefined ? undefined : String(fields[field])) };
}
