/**
 * A key as storage has it, with a name that would break a statement that is put together from
 * texts.
 */
import type { StoredKey } from '../../storage/stores/key-store.ts';

export const storedKey = (id: string): StoredKey => ({
  id,
  name: 'a "name"; DROP TABLE keys',
  hash: `hash of ${id}`,
  masked: 'whence_ab12…wxyz',
  permissions: ['ip:read', 'asn:read'],
  tier: 'pro',
  createdAt: new Date('2026-11-15T01:02:03.004Z'),
});
