/** A message with an aggregate report, signed as its reporter signs (RFC 6376, simple/simple). */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** To publish at `s1._domainkey.` of the reporter. */
export const KEY_RECORD = `v=DKIM1; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

export function signedMessage(reporter: string, report: string): string {
  const body = `${gzipSync(report).toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`;
  const from = `From: noreply-dmarc-support@${reporter}\r\n`;
  const bodyHash = createHash('sha256').update(body).digest('base64');
  const unsigned = `DKIM-Signature: v=1; a=rsa-sha256; d=${reporter}; s=s1; h=From; bh=${bodyHash}; b=`;
  const signature = sign('sha256', Buffer.from(from + unsigned), privateKey).toString('base64');
  return `${unsigned}${signature}\r\n${from}MIME-Version: 1.0\r\nContent-Type: application/gzip\r\nContent-Disposition: attachment; filename="report.xml.gz"\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}`;
}
