/** What the rest of the server may ask of storage. Nothing above it knows the engine. */
import type { AccountStore } from './account-store.ts';
import type { AuditStore } from './audit-store.ts';
import type { KeyStore } from './key-store.ts';
import type { LeaseStore } from './lease-store.ts';
import type { LinkStore } from './link-store.ts';
import type { MaintenanceStore } from './maintenance-store.ts';
import type { NetworkStore } from './network-store.ts';
import type { ProcessStore } from './process-store.ts';
import type { SessionStore } from './session-store.ts';
import type { TrafficStore } from './traffic-store.ts';
import type { UsageStore } from './usage-store.ts';

export type Storage = {
  /** Its name, for people. */
  readonly engine: string;
  /** The time that all processes share, where it is not the clock of this machine: undefined if it is. */
  nowMs(): number | undefined;
  readonly keys: KeyStore;
  readonly leases: LeaseStore;
  readonly usage: UsageStore;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly links: LinkStore;
  readonly audit: AuditStore;
  readonly traffic: TrafficStore;
  readonly networks: NetworkStore;
  readonly processes: ProcessStore;
  readonly maintenance: MaintenanceStore;
  /** Throws when storage cannot be reached. */
  check(): Promise<void>;
  close(): Promise<void>;
};
