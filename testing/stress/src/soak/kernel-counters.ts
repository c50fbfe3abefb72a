/**
 * What the kernel has dropped before a process saw it: connections that found the queue of the
 * server full, and clients that it could not take back afterwards. Of this network namespace, so of
 * other programs too.
 */
import { readFileSync } from 'node:fs';

const READ = ['ListenOverflows', 'ListenDrops', 'SyncookiesFailed'] as const;
export type KernelCounters = Readonly<Record<(typeof READ)[number], number>>;

export function readKernelCounters(
  text = readFileSync('/proc/net/netstat', 'utf8'),
): KernelCounters {
  const [names = [], values = []] = text
    .split('\n')
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(' '));
  const counterOf = (name: string) => Number(values[names.indexOf(name)] ?? 0);
  return {
    ListenOverflows: counterOf('ListenOverflows'),
    ListenDrops: counterOf('ListenDrops'),
    SyncookiesFailed: counterOf('SyncookiesFailed'),
  };
}

export function formatIncrease(before: KernelCounters, after: KernelCounters): string {
  return READ.map((name) => `${name} +${after[name] - before[name]}`).join(', ');
}
