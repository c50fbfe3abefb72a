/**
 * Loaded into a server before anything else: its wall clock is wrong. The monotonic clock is not
 * touched.
 */
const realNow = Date.now;
const byMs = Number(process.env['TEST_CLOCK_AHEAD_MS']);
Date.now = () => realNow() + byMs;
