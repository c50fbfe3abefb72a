/** `/healthz` and `/readyz`: load balancers and orchestrators ask all day, without a key. */
import { ApiError } from '../../http/errors.ts';
import type { StorageState } from '../../keys/vouching.ts';
import { ALIVE, type HealthDependencies, readiness } from '../health.ts';
import type { FastPathDependencies } from './admitted-route.ts';
import type { FastPathAnswers } from './connections.ts';
import { textAnswers, writeRefusal } from './text-answer.ts';

export function probes({ metrics, nowMs, extraHeaders, ...dependencies }: FastPathDependencies & HealthDependencies) {
  const write = textAnswers(extraHeaders);
  const ready = readiness({ nowMs, ...dependencies });

  function answer(name: string, data: object, startedMs: number): Buffer {
    const elapsedMs = performance.now() - startedMs;
    metrics.count(name, 200, elapsedMs / 1000);
    const body = `{"data":${JSON.stringify(data)},"meta":{"processing_time_ms":${Math.floor(elapsedMs)}}}`;
    return write({ status: 200, headers: [], body }, undefined, nowMs());
  }

  function answerReady(storage: StorageState, startedMs: number): Buffer {
    try {
      return answer('readyz', ready(storage), startedMs);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const elapsedMs = performance.now() - startedMs;
      metrics.count('readyz', error.row.status, elapsedMs / 1000, error.code);
      return writeRefusal(error, undefined, Math.floor(elapsedMs), nowMs(), extraHeaders);
    }
  }

  return {
    healthz: () => answer('healthz', ALIVE, performance.now()),
    readyz(_bytes, _request, _connection, mayWait) {
      const startedMs = performance.now();
      const storage = dependencies.keys.checkStorage();
      // Waiting for storage takes a pause of the connection, and most of the time of an answer.
      if (!(storage instanceof Promise)) return answerReady(storage, startedMs);
      return mayWait ? storage.then((state) => answerReady(state, startedMs)) : undefined;
    },
  } satisfies Record<string, FastPathAnswers['answer']>;
}
