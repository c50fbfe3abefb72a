/**
 * Process: `create-keys.js LOCATION TIER COUNT` creates keys of a tier and prints their secrets,
 * one a line. For load tests that need hundreds of keys: `wh key create` is a process for each.
 */
import { AuditLog } from '../../audit/audit-log.ts';
import { Keys } from '../../keys/keys.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { PERMISSIONS, TIER_NAMES } from '../../vocabulary.ts';

const [location = '', tierName = '', count = ''] = process.argv.slice(2);
const tier = TIER_NAMES.find((name) => name === tierName);
if (tier === undefined) throw new Error(`there is no tier ${tierName}`);
const storage = await openStorage(location);
try {
  const keys = new Keys(storage.keys, new AuditLog(storage.audit));
  for (let i = 0; i < Number(count); i++) {
    const { secret } = await keys.create(
      { name: `load ${tier} ${i}`, tier, permissions: PERMISSIONS },
      { name: 'simulation' },
      new Date(),
    );
    process.stdout.write(`${secret}\n`);
  }
} finally {
  await storage.close();
}
