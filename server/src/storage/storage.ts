/** The storage interface of the server. Nothing above it knows the engine. */
import type { Engine } from './engine.ts';
import type { LeaseStore } from './leases/lease-store.ts';
import type { AccountStore } from './stores/account-store.ts';
import type { AuditStore } from './stores/audit-store.ts';
import type { KeyListStore } from './stores/key-list-store.ts';
import type { KeyStore } from './stores/key-store.ts';
import type { LinkStore } from './stores/link-store.ts';
import type { MaintenanceStore } from './stores/maintenance-store.ts';
import type { ProcessStore } from './stores/process-store.ts';
import type { RegistrationStore } from './stores/registration-store.ts';
import type { ReportStore } from './stores/report-store.ts';
import type { RunStore } from './stores/run-store.ts';
import type { SessionStore } from './stores/session-store.ts';
import type { TrafficStore, UsageStore } from './stores/usage-store.ts';

export type Storage = {
  readonly engine: string;
  /** The clock that all processes share; undefined if that is the clock of this machine. */
  nowMs(): number | undefined;
  clockState: Engine['clockState'];
  readonly keys: KeyStore;
  readonly keyList: KeyListStore;
  readonly leases: LeaseStore;
  readonly usage: UsageStore;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly links: LinkStore;
  readonly audit: AuditStore;
  readonly traffic: TrafficStore;
  readonly processes: ProcessStore;
  readonly registrations: RegistrationStore;
  readonly reports: ReportStore;
  readonly runs: RunStore;
  readonly maintenance: MaintenanceStore;
  /** Whether the database that statistics have of their own does not answer; undefined if they have none. */
  isStatisticsAway(): boolean | undefined;
  close(): Promise<void>;
};
