// Who did what to which key, account or dataset, when and from where. Entries keep old names, and
// no secrets.
import { randomBytes } from 'node:crypto';
import { present } from '../present.ts';
import type { AuditStore } from '../storage/stores/audit-store.ts';
import type { AuditAction, AuditTargetKind } from '../vocabulary.ts';

export type Actor = {
  /** A name, or `command line, USER`. */
  readonly name: string;
  readonly accountId?: string;
  readonly address?: string;
};

type AuditTarget = {
  readonly kind: AuditTargetKind;
  readonly id?: string;
  readonly name?: string;
};

export class AuditLog {
  readonly #store: AuditStore;
  #sequence = 0;

  constructor(store: AuditStore) {
    this.#store = store;
  }

  async record(
    actor: Actor,
    action: AuditAction,
    target: AuditTarget,
    now: Date,
    details?: Readonly<Record<string, string>>,
  ): Promise<void> {
    await this.#store.add({
      id: makeEntryId(now, this.#sequence++),
      at: now,
      actor: actor.name,
      action,
      targetKind: target.kind,
      ...present({
        actorId: actor.accountId,
        address: actor.address,
        targetId: target.id,
        target: target.name,
        details,
      }),
    });
  }
}

// Hexadecimal: 12 digits of milliseconds, 4 that count within one, 4 random ones that differ
// between processes.
function makeEntryId(now: Date, sequence: number): string {
  const count = (sequence & 0xffff).toString(16).padStart(4, '0');
  return firstEntryIdAt(now.getTime()) + count + randomBytes(2).toString('hex');
}

/** Sorts before every entry of that time and later. */
export function firstEntryIdAt(ms: number): string {
  return ms.toString(16).padStart(12, '0');
}
