/**
 * Leaves out parts of an input as long as the fault stays, so that what is printed is what matters.
 */

const MAX_ATTEMPTS = 2_000;
/** Well below the time after which a process counts as hung. */
const MAX_MS = 5_000;

/** `isFaulty` must be true for `bytes` itself. */
export async function shrink(
  bytes: Buffer,
  isFaulty: (bytes: Buffer) => Promise<boolean>,
): Promise<Buffer> {
  let smallest = bytes;
  let attempts = 0;
  const endMs = performance.now() + MAX_MS;
  for (
    let size = Math.ceil(bytes.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (
      let at = 0;
      at < smallest.length && attempts < MAX_ATTEMPTS && performance.now() < endMs;
      attempts++
    ) {
      const candidate = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      if (await isFaulty(candidate)) smallest = candidate;
      else at += size;
    }
  }
  return smallest;
}
