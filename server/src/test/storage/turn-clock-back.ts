/**
 * Loaded into a server before anything else: on SIGUSR2 its wall clock goes back by an hour. The monotonic clock goes
 * on.
 */
const HOUR_MS = 3_600_000;
const realNow = Date.now;
process.on('SIGUSR2', () => {
  Date.now = () => realNow() - HOUR_MS;
});
