/** The last update of the dataset, or the running one, with its schedule. */
import type { Role } from '../../vocabulary.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import type { UpdateState } from '../wire/dataset.ts';

/** Error messages may contain paths and addresses of this machine, so only administrators see them. */
export function updateState(
  { lastUpdate, settings }: Pick<DashboardDependencies, 'lastUpdate' | 'settings'>,
  role: Role,
): UpdateState {
  const { kind, intervalSeconds } = settings.updates;
  const { error, refused = [], paused = [], ...report } = lastUpdate() ?? { outcome: 'never' as const };
  return {
    ...report,
    refused: [...refused],
    ...(paused.length === 0 ? {} : { paused: [...paused] }),
    ...(error !== undefined && role === 'admin' ? { error } : {}),
    schedule: {
      kind,
      can_start: kind === 'build',
      ...(intervalSeconds === undefined ? {} : { interval_seconds: intervalSeconds }),
    },
  };
}
