/** The last update of the dataset, or the running one, with its schedule. */
import type { Role } from '../../accounts/role.ts';
import type { RouteParts } from '../parts.ts';
import type { UpdateState } from '../wire.ts';

/** Error messages may hold paths and addresses of this machine: they are for administrators. */
export function updateState(
  { lastUpdate, settings }: Pick<RouteParts, 'lastUpdate' | 'settings'>,
  role: Role,
): UpdateState {
  const { kind, intervalSeconds } = settings.updates;
  const { error, refused = [], ...report } = lastUpdate() ?? { outcome: 'never' as const };
  return {
    ...report,
    refused: [...refused],
    ...(error !== undefined && role === 'admin' ? { error } : {}),
    schedule: {
      kind,
      can_start: kind === 'build',
      ...(intervalSeconds === undefined ? {} : { interval_seconds: intervalSeconds }),
    },
  };
}
