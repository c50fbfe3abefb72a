/**
 * A key that was found somewhere and pasted into a field. It is recognised by its form and checksum
 * and sent in the body of a request, so that neither the address bar nor a log, the history or the
 * storage of the browser has it.
 */
import { useQuery } from '@tanstack/react-query';
import type { KeySummary } from '@whence/server/dashboard-wire/keys';
import { findSecret, holdsSecret, maskSecret } from '@whence/server/secret-form';
import { mayDo } from '@whence/server/vocabulary';
import { useRef, useState } from 'react';
import { isFailure } from './call.ts';
import { call, sessionQuery } from './query-client.ts';

/** What was recognised in a text: the key once it is found, or why it is not. */
type LeakedKey = {
  /**
   * To be shown in place of the text; undefined for a part of a key, which a person may still be
   * typing.
   */
  readonly masked?: string;
  readonly key?: Pick<KeySummary, 'id' | 'name' | 'state'>;
  readonly problem?: string;
};

const INCOMPLETE: LeakedKey = {
  problem:
    'This looks like an API key, but a part of it is missing or mistyped: paste the whole key',
};

/** `look` recognises a key in a text, and forgets the one before. */
export function useLeakedKey(onFound?: (id: string) => void): {
  leaked: LeakedKey | undefined;
  look: (text: string) => LeakedKey | undefined;
} {
  const [leaked, setLeaked] = useState<LeakedKey>();
  const search = useRef(0);
  const { data: session } = useQuery(sessionQuery);
  const role = session?.state === 'signed_in' ? session.account.role : undefined;

  const look = (text: string): LeakedKey | undefined => {
    const number = ++search.current;
    const recognised = recognise(text);
    setLeaked(recognised);
    const secret = recognised?.masked === undefined ? undefined : findSecret(text);
    if (secret === undefined || recognised?.problem !== undefined) return recognised;
    const show = (leakedKey: LeakedKey) => {
      if (search.current !== number) return;
      setLeaked({ ...recognised, ...leakedKey });
      if (leakedKey.key !== undefined) onFound?.(leakedKey.key.id);
    };
    call('findKey', { body: { secret } }).then(
      ({ data: { key } }) => show({ key }),
      (error) => show({ problem: failureWords(error) }),
    );
    return recognised;
  };

  function recognise(text: string): LeakedKey | undefined {
    if (!holdsSecret(text)) return undefined;
    const secret = findSecret(text);
    if (secret === undefined) return INCOMPLETE;
    const masked = maskSecret(secret);
    if (role !== undefined && mayDo(role, 'member')) return { masked };
    return {
      masked,
      problem: 'This is an API key. Its owner or an administrator can find and revoke it here',
    };
  }

  function failureWords(error: unknown): string {
    if (!isFailure(error, 'NOT_FOUND'))
      return error instanceof Error ? error.message : String(error);
    return role === 'admin'
      ? 'No key of this server has this secret'
      : 'None of your keys has this secret: an administrator can look for it among all keys';
  }

  return { leaked, look };
}
