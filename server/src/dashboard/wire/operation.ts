/** Health, settings and the audit log as the dashboard shows them. */
import type { Config } from '../../settings/config.ts';
import type { AuditAction, AuditTargetKind } from '../../vocabulary.ts';
import type { UpdateState } from './dataset.ts';

export type Health = {
  server_version: string;
  node_version: string;
  storage: { engine: string; state: 'ok' | 'unavailable' };
  dataset: {
    state: 'ok' | 'stale' | 'fallback' | 'missing';
    version?: number;
    built_at?: string;
  };
  /** Processes that reported in the last half minute, on all machines. */
  processes: ProcessState[];
  update: UpdateState;
};
export type ProcessState = {
  id: string;
  host: string;
  pid: number;
  is_this: boolean;
  started_at: string;
  seen_at: string;
  memory_bytes: number;
  event_loop_lag_ms: number;
  dataset_version: number;
};

/** `value` is absent for secrets, which only have `is_set`. */
export type SettingInForce = Config['inForce'][number];

export type AuditEntry = {
  id: string;
  at: string;
  /** Name at that time; `command line, USER` for commands. */
  actor: string;
  actor_id?: string;
  action: AuditAction;
  target_kind: AuditTargetKind;
  target_id?: string;
  /** Name of the key or account, or number of the version, at that time. */
  target?: string;
  /** Client address; absent for commands. */
  address?: string;
  /** Such as `{ from: 'viewer', to: 'member' }`. Never a secret. */
  details?: Record<string, string>;
};
/** Newest first. */
export type AuditPage = { entries: AuditEntry[]; next_before?: string };
