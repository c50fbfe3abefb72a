/** Keys for a simulation, many rows a statement: a hundred thousand through `whence key create` would take an hour. */
import { hashSecret, makeSecret, maskSecret } from '../../../server/dist/keys/secret.js';

const ROWS_PER_STATEMENT = 1_000;

export type Secrets = { readonly free: string[]; readonly pro: string[] };

/** Half of them Free, half Pro. */
export async function insertKeys(query: (sql: string) => Promise<unknown>, count: number): Promise<Secrets> {
  const secrets: Secrets = { free: [], pro: [] };
  for (let i = 0; i < count; ) {
    const values: string[] = [];
    for (let row = 0; row < ROWS_PER_STATEMENT && i < count; row++, i++) {
      const tier = i % 2 === 0 ? 'free' : 'pro';
      const secret = makeSecret();
      secrets[tier].push(secret);
      values.push(
        `('sim${i}', 'simulated', '${hashSecret(secret)}', '${maskSecret(secret)}', 'ip:read', '${tier}', 0)`,
      );
    }
    await query(`INSERT INTO keys (id, name, hash, masked, permissions, tier, created_at) VALUES ${values.join(',')}`);
  }
  await query('UPDATE revisions SET keys = keys + 1');
  return secrets;
}
