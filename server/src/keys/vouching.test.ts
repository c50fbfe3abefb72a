/** When storage is asked, by a clock that the test moves. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Vouching } from './vouching.ts';

/** Storage whose answers arrive after a round trip on the clock of the test. */
class FakeStorage {
  nowMs = 1_000;
  questions = 0;
  #inFlight: { arrivesMs: number; answer: () => void }[] = [];
  readonly vouching = new Vouching(() => this.#ask(), { nowMs: () => this.nowMs });
  roundTripMs: () => number = () => 1;

  get inFlight(): number {
    return this.#inFlight.length;
  }

  #ask(): Promise<void> {
    this.questions++;
    const arrivesMs = this.nowMs + this.roundTripMs();
    return new Promise((resolve) => {
      this.#inFlight.push({ arrivesMs, answer: resolve });
    });
  }

  /** A request every millisecond; returns for how many of them what is known could not be used. */
  async load(ms: number): Promise<number> {
    let waiting = 0;
    for (let i = 0; i < ms; i++) {
      this.nowMs++;
      const arrived = this.#inFlight.filter(({ arrivesMs }) => arrivesMs <= this.nowMs);
      this.#inFlight = this.#inFlight.filter((question) => !arrived.includes(question));
      for (const { answer } of arrived) answer();
      await new Promise(setImmediate);
      if (!this.vouching.isCurrent()) waiting++;
    }
    return waiting;
  }
}

for (const [behaviour, roundTripMs, most] of [
  ['near: one question per half window', () => 1, 21],
  ['at 45 ms: no request waits', () => 45, 40],
] as const)
  test(`vouching: ${behaviour}`, async () => {
    const storage = new FakeStorage();
    storage.roundTripMs = roundTripMs;
    await storage.load(2_000);
    const { questions } = storage;
    assert.equal(await storage.load(1_000), 0);
    assert.ok(
      storage.questions - questions <= most,
      `${storage.questions - questions} questions in a second`,
    );
    storage.vouching.stop();
  });

for (const [behaviour, roundTripMs] of [
  ['takes 80 ms', () => 80],
  ['is too long for the window', () => 300],
  ['varies', (i: number) => 20 + (i % 5) * 30],
] as const)
  test(`vouching: one question at a time where the round trip ${behaviour}`, async () => {
    const storage = new FakeStorage();
    let asked = 0;
    storage.roundTripMs = () => roundTripMs(asked++);
    await storage.load(2_000);
    for (let i = 0; i < 500; i++) {
      await storage.load(1);
      assert.ok(storage.inFlight <= 1);
    }
    storage.vouching.stop();
  });
