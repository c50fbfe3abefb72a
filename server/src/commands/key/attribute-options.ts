/** Options of `whence key create` and `whence key set` for the attributes of a key. */
import { InvalidKey, parsePermissions } from '../../keys/key.ts';
import { parseNetworks, parseNote, parseRequestsPerSecond, parseTime } from '../../keys/key-attributes.ts';
import type { KeyChange } from '../../storage/stores/key-store.ts';
import type { Permission } from '../../vocabulary.ts';

export type AttributeOptions = {
  note?: string;
  /** A time, a period, or `never`. */
  expires?: string;
  /** Separated by commas, or `any`. */
  networks?: string;
  /** A number, or `unlimited`. */
  requestsPerSecond?: string;
};

type Attributes = Pick<KeyChange, 'note' | 'expiresAt' | 'allowedNetworks' | 'requestsPerSecond'>;

export function attributesFrom(
  { note, expires, networks, requestsPerSecond }: AttributeOptions,
  now: Date,
): Attributes {
  return {
    ...(note === undefined ? {} : { note: parseNote(note) ?? null }),
    ...(expires === undefined ? {} : { expiresAt: expires === 'never' ? null : timeOf('--expires', expires, now) }),
    ...(networks === undefined
      ? {}
      : { allowedNetworks: networks === 'any' ? null : (parseNetworks(wordsOf(networks)) ?? null) }),
    ...(requestsPerSecond === undefined
      ? {}
      : {
          requestsPerSecond:
            requestsPerSecond === 'unlimited' ? null : parseRequestsPerSecond(numberOf(requestsPerSecond)),
        }),
  };
}

export function timeOf(option: string, text: string, now: Date): Date {
  try {
    return parseTime(text, now);
  } catch (error) {
    throw error instanceof InvalidKey ? new InvalidKey(`${option} must be ${error.message}`) : error;
  }
}

export function parsePermissionList(text: string): Permission[] {
  return parsePermissions(wordsOf(text));
}

const wordsOf = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');
const numberOf = (text: string) => (/^[0-9]+$/.test(text) ? Number(text) : Number.NaN);
