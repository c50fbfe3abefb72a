/** Milliseconds that never go back and mean the same in every thread; `performance.now()` starts at zero in each. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
