/**
 * DKIM signatures that mailauth makes, which is what other programs verify with, prove a report.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import test from 'node:test';
import { missingTool, toolRequire } from '@whence/testing/installed-tools';
import { MESSAGE, SIGNED_AT_MS } from '../../test/signed-report.ts';
import { zone } from '../../test/zone.ts';
import { readReports } from './read-reports.ts';

type Sign = (message: string, options: object) => Promise<{ signatures: string }>;

const skip = missingTool('mailauth');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = generateKeyPairSync('ed25519');
const resolver = zone({
  'rsa._domainkey.example.net': {
    TXT: [`v=DKIM1; p=${rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`],
  },
  'ed25519._domainkey.example.net': { TXT: [`v=DKIM1; k=ed25519; p=${rawKey()}`] },
});

for (const [behaviour, signingDomain, selector, privateKey, canonicalization] of [
  ['relaxed', 'example.net', 'rsa', rsa.privateKey, 'relaxed/relaxed'],
  ['simple', 'example.net', 'rsa', rsa.privateKey, 'simple/simple'],
  ['mixed forms', 'example.net', 'rsa', rsa.privateKey, 'simple/relaxed'],
  ['Ed25519', 'example.net', 'ed25519', ed25519.privateKey, 'relaxed/relaxed'],
] as readonly [string, string, string, KeyObject, string][])
  test(`reports: a signature by mailauth, ${behaviour}, proves a message`, { skip }, async () => {
    const { dkimSign } = toolRequire('mailauth/lib/dkim/sign') as { dkimSign: Sign };
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const { signatures } = await dkimSign(MESSAGE, {
      canonicalization,
      signTime: new Date(SIGNED_AT_MS),
      signatureData: [{ signingDomain, selector, privateKey: pem }],
    });
    const options = { resolverFor: () => resolver };
    for (const [content, want] of [
      [signatures + MESSAGE, true],
      [signatures + MESSAGE.replace('A report.', 'Another.'), false],
    ] as const)
      for await (const report of readReports('input', Buffer.from(content), options))
        assert.ok(report.kind === 'report' && (report.unproven === undefined) === want);
  });

function rawKey(): string {
  const { x = '' } = ed25519.publicKey.export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('base64');
}
