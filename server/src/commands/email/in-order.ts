/** Work on many inputs, a few at a time, with the results in the order of the inputs. */

/**
 * Results per place that may wait for a slower one before them: silent name servers take eight
 * seconds.
 */
const AHEAD_PER_PLACE = 32;

export async function* inOrder<Input, Result>(
  inputs: Iterable<Input>,
  places: number,
  work: (input: Input) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  const remaining = inputs[Symbol.iterator]();
  const started: Promise<Result>[] = [];
  const waiting: (() => void)[] = [];
  let free = places;
  const runInPlace = async (input: Input) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work(input);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
  const startMore = () => {
    while (started.length < places * AHEAD_PER_PLACE) {
      const next = remaining.next();
      if (next.done === true) return;
      const result = runInPlace(next.value);
      // It is awaited when its turn comes; until then this avoids an unhandled rejection.
      result.catch(() => {});
      started.push(result);
    }
  };
  for (;;) {
    startMore();
    const first = started.shift();
    if (first === undefined) return;
    yield await first;
  }
}
