/**
 * The schema as the steps that lead to it, in order. A step that was released is never edited; the next one changes
 * what it made.
 */
import type { Migration } from 'kysely';
import { keysQuotaUsage } from './0001-keys-quota-usage.ts';
import { revisionsAndSettledLeases } from './0002-revisions-and-settled-leases.ts';
import { accountsAuditTraffic } from './0003-accounts-audit-traffic.ts';
import { maintenance } from './0004-maintenance.ts';
import { leaseRows } from './0005-lease-rows.ts';
import { writers } from './0006-writers.ts';
import { keyUsesAndNetworks } from './0007-key-uses-and-networks.ts';
import { keyList } from './0008-key-list.ts';
import { keyChanges } from './0009-key-changes.ts';
import { linkCreatorsAndUsageIndex } from './0010-link-creators-and-usage-index.ts';
import { keyQuestionAndAutovacuum } from './0011-key-question-and-autovacuum.ts';
import { keyAttributes } from './0012-key-attributes.ts';
import { registrations } from './0013-registrations.ts';
import { sqliteKeyChanges } from './0014-sqlite-key-changes.ts';
import { steadyHours } from './0015-steady-hours.ts';
import { keyRefusals } from './0016-key-refusals.ts';

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-keys-quota-usage': keysQuotaUsage,
  '0002-revisions-and-settled-leases': revisionsAndSettledLeases,
  '0003-accounts-audit-traffic': accountsAuditTraffic,
  '0004-maintenance': maintenance,
  '0005-lease-rows': leaseRows,
  '0006-writers': writers,
  '0007-key-uses-and-networks': keyUsesAndNetworks,
  '0008-key-list': keyList,
  '0009-key-changes': keyChanges,
  '0010-link-creators-and-usage-index': linkCreatorsAndUsageIndex,
  '0011-key-question-and-autovacuum': keyQuestionAndAutovacuum,
  '0012-key-attributes': keyAttributes,
  '0013-registrations': registrations,
  '0014-sqlite-key-changes': sqliteKeyChanges,
  '0015-steady-hours': steadyHours,
  '0016-key-refusals': keyRefusals,
};
