/** Numbers of a server from its `/metrics`. */
export async function readMetrics(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

/** The sum over series whose line matches; the pattern has the value as its group. */
export function sumOf(metrics: string, pattern: RegExp): number {
  return [...metrics.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
}
