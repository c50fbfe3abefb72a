/** Files of the dataset for other programs, and which keys have downloaded which version. */

import type { LiveGeoipFiles } from '../../geoip-files/live-geoip-files.ts';
import type { KeyStore } from '../../storage/stores/key-store.ts';
import type { TrafficStore } from '../../storage/stores/usage-store.ts';
import { recentDownloads } from '../../usage/traffic-report.ts';
import { forAdmins, type Rows } from '../requests/ask.ts';

type DatabaseSources = {
  readonly databases: Pick<LiveGeoipFiles, 'all' | 'isCurrent'>;
  readonly storage: { readonly traffic: TrafficStore; readonly keys: Pick<KeyStore, 'findAll'> };
};

export function databaseRoutes({ databases, storage }: DatabaseSources) {
  return {
    getDatabases: forAdmins(async ({ now }) => {
      const downloads = await recentDownloads(storage.traffic, now);
      const keys = await storage.keys.findAll([...new Set(downloads.map(({ keyId }) => keyId))]);
      const names = new Map(keys.map(({ id, name }) => [id, name]));
      return {
        files: databases.all.flatMap(({ version, builtAt, files }) =>
          files.map(({ name, edition, bytes }) => ({
            name,
            edition,
            version,
            bytes: bytes.mmdb,
            is_current: databases.isCurrent(name, version),
            built_at: builtAt,
          })),
        ),
        downloads: downloads.map(({ keyId, file, version, count, lastHour }) => ({
          key_id: keyId,
          key: names.get(keyId) ?? keyId,
          file,
          version,
          count,
          is_current: databases.isCurrent(file, version),
          last_hour: new Date(lastHour).toISOString(),
        })),
      };
    }),
  } satisfies Rows;
}
