/**
 * Loaded into a server before anything else: on SIGUSR2 its wall clock goes back by an hour. The
 * monotonic clock goes on.
 */
import { HOUR_MS } from '../../day.ts';

const realNow = Date.now;
process.on('SIGUSR2', () => {
  Date.now = () => realNow() - HOUR_MS;
});
