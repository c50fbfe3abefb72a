/** Requests of the dashboard to create or change a key, by the rules of its attributes. */
import type { ValueOf } from '../../http/json-schema.ts';
import { type Key, type KeyAttributes, parseName, parsePermissions } from '../../keys/key.ts';
import { parseNetworks, parseNote, parseRequestsPerSecond, parseTime } from '../../keys/key-attributes.ts';
import type { KeyChange } from '../../storage/stores/key-store.ts';
import type { requests } from '../wire/requests.ts';

const HOUR_MS = 3_600_000;

type KeyChangeRequest = ValueOf<typeof requests.changeKey.body>;
type AttributeRequest = Pick<KeyChangeRequest, 'note' | 'expires_at' | 'allowed_networks' | 'requests_per_second'>;

/** For a new key, where what is removed and what is absent are the same. */
export function newAttributes(body: AttributeRequest, now: Date): KeyAttributes {
  const { note, expiresAt, allowedNetworks, requestsPerSecond } = changedAttributes(body, undefined, now);
  return {
    ...(note == null ? {} : { note }),
    ...(expiresAt == null ? {} : { expiresAt }),
    ...(allowedNetworks == null ? {} : { allowedNetworks }),
    ...(requestsPerSecond == null ? {} : { requestsPerSecond }),
  };
}

export function parseKeyChange(body: KeyChangeRequest, key: Key, by: string, now: Date): KeyChange {
  const { name, tier, permissions, revoke_in_hours: hours } = body;
  return {
    ...(name === undefined ? {} : { name: parseName(name) }),
    ...(tier === undefined ? {} : { tier }),
    ...(permissions === undefined ? {} : { permissions: parsePermissions(permissions) }),
    ...changedAttributes(body, key.expiresAt, now),
    ...(hours === undefined
      ? {}
      : { scheduledRevocation: hours === null ? null : { at: new Date(now.getTime() + hours * HOUR_MS), by } }),
  };
}

/** An expiry that stays as it is may have passed. */
function changedAttributes(
  { note, expires_at, allowed_networks, requests_per_second }: AttributeRequest,
  expiresAt: Date | undefined,
  now: Date,
): Pick<KeyChange, 'note' | 'expiresAt' | 'allowedNetworks' | 'requestsPerSecond'> {
  const isSameExpiry = expires_at != null && Date.parse(expires_at) === expiresAt?.getTime();
  return {
    ...(note === undefined ? {} : { note: parseNote(note) ?? null }),
    ...(expires_at === undefined || isSameExpiry
      ? {}
      : { expiresAt: expires_at === null ? null : parseTime(expires_at, now) }),
    ...(allowed_networks === undefined ? {} : { allowedNetworks: parseNetworks(allowed_networks) ?? null }),
    ...(requests_per_second === undefined
      ? {}
      : {
          requestsPerSecond: requests_per_second === null ? null : parseRequestsPerSecond(requests_per_second),
        }),
  };
}
