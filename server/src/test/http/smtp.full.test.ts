/**
 * `include=smtp` over HTTP, against Postfix and Exim as Debian ships them, with good and bad
 * certificates.
 */
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import test from 'node:test';
import type { EmailReport } from '@whence/client/wire';
import { createAuthority, selfSigned } from '@whence/testing/servers/certificates';
import { missingMailServer, startMailServer } from '@whence/testing/servers/debian-mail-server';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { startInProcess, TestFolder } from '../test-server.ts';

const HOST = 'mx.example.com';
const authority = createAuthority('Test Authority');
const before = (days: number) => new Date(Date.now() - days * 86_400_000);
const CERTIFICATES = [
  ['good', authority.issue([HOST]), []],
  [
    'ending',
    authority.issue([HOST], { from: before(80), until: before(-10) }),
    ['certificate_ends_soon'],
  ],
  [
    'expired',
    authority.issue([HOST], { from: before(10), until: before(1) }),
    ['certificate_expired'],
  ],
  ['self-signed', selfSigned([HOST]), ['certificate_self_signed']],
  ['wrong-name', authority.issue(['other.example.com']), ['certificate_other_name']],
] as const;

for (const program of ['postfix', 'exim'] as const)
  for (const [kind, certificate, want] of CERTIFICATES)
    test(`smtp: ${program} with a ${kind} certificate`, {
      skip: missingMailServer(program) ?? false,
    }, async (t) => {
      const { publicKey } = new X509Certificate(certificate.cert);
      const hash = createHash('sha256')
        .update(publicKey.export({ type: 'spki', format: 'der' }))
        .digest('hex');
      const zone = {
        'example.com': { MX: [[10, HOST]], isSigned: true },
        [HOST]: { A: ['127.0.0.1'] },
        '1.0.0.127.in-addr.arpa': { PTR: [HOST] },
      } as const;
      const tlsa = { [`_25._tcp.${HOST}`]: { TLSA: [`3 1 1 ${hash}`], isSigned: true } } as const;
      const [plain, dane] = await Promise.all(
        [zone, { ...zone, ...tlsa }].map((records) => startScriptedDnsServer(records)),
      );
      t.after(() => Promise.all([plain?.close(), dane?.close()]));
      const mail = await startMailServer(program, certificate);
      t.after(() => mail.close());
      for (const dns of [plain, dane]) {
        const network = { port: mail.port, ca: authority.cert, isReachable: () => true };
        const folder = new TestFolder();
        const environment = { WHENCE_DNS_SERVERS: dns?.address ?? '', WHENCE_SMTP_PROBE: 'on' };
        const whence = await startInProcess(folder, undefined, environment, {
          smtpNetwork: network,
        });
        const { secret } = await folder.createKey();
        const path = '/v1/email/domain/example.com/dns?selectors=none&include=smtp';
        const response = await fetch(`${whence.url}${path}`, { headers: { 'X-API-Key': secret } });
        const { data } = (await response.json()) as { data: EmailReport };
        await whence.close();
        folder.remove();
        const server = data.smtp?.servers[0];
        assert.ok(server);
        assert.deepEqual(
          [server.banner_name, server.has_starttls, server.reverse_name],
          [HOST, true, HOST],
        );
        assert.match(server.tls_version, /^TLSv1\.[23]$/);
        const codes = server.validation_errors.map((error) => error.split(':')[0]);
        // With DANE the key alone counts.
        assert.deepEqual([server.dane, codes], dns === dane ? ['match', []] : ['', want]);
      }
    });
