/**
 * Processor time that this process uses while it works, in milliseconds: for tests that something
 * takes time in proportion to its input. Unlike time by the clock, it does not pass while other
 * processes have the processor.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
