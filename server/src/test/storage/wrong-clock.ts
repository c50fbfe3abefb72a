/** Loaded into a server before anything else: its wall clock is a day ahead. The monotonic clock is not touched. */
const DAY_MS = 86_400_000;
const realNow = Date.now;
Date.now = () => realNow() + DAY_MS;
