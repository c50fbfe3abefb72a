/** The DNS server of the benchmark, in a separate process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type DnsServerProcess = {
  /** `127.0.0.1:` and a port. */
  readonly address: string;
  /** Queries received so far, over UDP and TCP. */
  received(): Promise<number>;
  stop(): void;
};

export async function startDnsServer(delayMs: number): Promise<DnsServerProcess> {
  const child = fork(
    fileURLToPath(import.meta.resolve('./dns-server-process.js')),
    [String(delayMs)],
    {
      execArgv: [],
    },
  );
  const message = async () => {
    const over = new AbortController();
    const ended = once(child, 'exit', { signal: over.signal }).then(() => {
      throw new Error('The DNS server has ended.');
    });
    try {
      const [text] = await Promise.race([once(child, 'message', { signal: over.signal }), ended]);
      return String(text);
    } finally {
      ended.catch(() => {}); // told to stop waiting
      over.abort();
    }
  };
  return {
    address: await message(),
    async received() {
      child.send('count');
      return Number(await message());
    },
    stop: () => child.disconnect(),
  };
}
