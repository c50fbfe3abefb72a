/**
 * Child process of the benchmark: the DNS server, which must not share a thread with the checks.
 * Sends its address, then the number of queries on request.
 */
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { makeZone } from './zone.ts';

const server = await startScriptedDnsServer(makeZone(), { delayMs: Number(process.argv[2]) });
process.send?.(server.address);
process.on('message', () => process.send?.(server.queries.length));
process.on('disconnect', () => process.exit());
