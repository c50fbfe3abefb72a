/** `wh key set|rotate`. Each returns once every process has applied the change. */
import { describeKey, parseName, parsePermissions } from '../../keys/key.ts';
import {
  type AttributeOptions,
  changesOfOptions,
  parseTime,
  wordsOf,
} from '../../keys/key-attributes.ts';
import { changedAttributes } from '../../keys/key-changes.ts';
import { present } from '../../present.ts';
import type { KeyChange } from '../../storage/stores/key-store.ts';
import { type ExitCode, NegativeAnswer, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { printable } from '../../terminal/printable.ts';
import { print } from '../../terminal/style.ts';
import type { Tier } from '../../vocabulary.ts';
import { operator } from '../operator.ts';
import { findId, findKey, noSuchKey, parsed, withKeys } from './open-keys.ts';

export type KeySetOptions = AttributeOptions & {
  name?: string;
  tier?: Tier;
  permissions?: string;
  state?: 'active' | 'paused';
  /** A time, a period, or `never`. */
  revoke?: string;
  json?: boolean;
};

export async function keySet(
  location: string,
  name: string,
  options: KeySetOptions,
  streams: CommandStreams,
): Promise<ExitCode> {
  const now = new Date();
  const change = parsed(() => changeOf(options, now));
  if (Object.keys(change).length === 0)
    throw new UsageError('nothing to change: give at least one option, such as --tier');
  return withKeys(location, async (keys) => {
    const id = await findId(keys, name);
    const outcome = await keys.change(id, change, operator(), now);
    if (outcome === 'unknown') throw noSuchKey(id);
    if (outcome === 'revoked')
      throw new NegativeAnswer(`the key ${id} is revoked and cannot be changed`);
    const { before, after } = outcome;
    const lines = changedAttributes(before, after).map(
      ({ label, details: { from, to } }) => `${id}: ${label}: ${printable(`${from} -> ${to}`)}\n`,
    );
    return print(
      streams,
      options,
      describeKey(after),
      () => lines.join('') || `${id} is as it was\n`,
    );
  });
}

function changeOf(
  { name, tier, permissions, state, revoke, ...attributes }: KeySetOptions,
  now: Date,
): KeyChange {
  const revocation = (when: string) =>
    when === 'never' ? null : { at: parseTime(when, now, '--revoke'), by: operator().name };
  const pausedAt = state === 'paused' ? now : null;
  return {
    ...present({
      name: name === undefined ? undefined : parseName(name),
      pausedAt: state === undefined ? undefined : pausedAt,
      tier,
      permissions: permissions === undefined ? undefined : parsePermissions(wordsOf(permissions)),
      scheduledRevocation: revoke === undefined ? undefined : revocation(revoke),
    }),
    ...changesOfOptions(attributes, now),
  };
}

/** Prints the secret of the successor, which is not shown again. */
export async function keyRotate(
  location: string,
  name: string,
  options: { name?: string; revokeOldIn?: string; json?: boolean },
  streams: CommandStreams,
): Promise<ExitCode> {
  const now = new Date();
  const { name: successor, revokeOldIn } = options;
  const rotation = parsed(() =>
    present({
      name: successor === undefined ? undefined : parseName(successor),
      revokeAt:
        revokeOldIn === undefined ? undefined : parseTime(revokeOldIn, now, '--revoke-old-in'),
    }),
  );
  return withKeys(location, async (keys, storage) => {
    const key = await findKey(keys, storage, name);
    const outcome = await keys.rotate(key, { name: key.name, ...rotation }, operator(), now);
    if (outcome === 'revoked')
      throw new NegativeAnswer(`the key ${key.id} is revoked: create a new one instead`);
    // The command line gives no limits, so there are not too many.
    if (typeof outcome === 'string')
      throw new NegativeAnswer(
        `the key ${key.id} already has an active successor: revoke one of them first`,
      );
    const { key: made, secret } = outcome;
    return print(streams, options, { ...describeKey(made), key: secret }, () => `${secret}\n`);
  });
}
