/** DKIM keys of tests. */
import { generateKeyPairSync } from 'node:crypto';

function rsa(modulusLength: number): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength });
  return `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
}

export const KEYS = { strong: rsa(2048), weak: rsa(1024) };
