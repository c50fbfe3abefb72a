/** Child of the benchmark: the DNS server, which must not share a thread with those it answers. Says its address, then what it has received. */
import { startScriptedDnsServer } from '@whence/email/test/scripted-dns-server';
import { makeZone } from './zone.ts';

const server = await startScriptedDnsServer(makeZone(), { delayMs: Number(process.argv[2]) });
process.send?.(server.address);
process.on('message', () => process.send?.(server.queries.length));
process.on('disconnect', () => process.exit());
