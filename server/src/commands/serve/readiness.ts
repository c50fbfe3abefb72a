/** Whether the processes that serve have a dataset, and which flags it does not know. */
import { get } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FlagSubject } from '@whence/dataset/record';
import type { StopSignals } from '../../process/stop-signals.ts';
import { flagNote } from '../../terminal/flag-note.ts';
import type { Started } from './start-processes.ts';

const POLL_MS = 100;

/** Asks the serving processes, because they have tried every published version. */
export async function isServingDataset(server: Started, signals: StopSignals): Promise<boolean> {
  while (signals.count === 0) {
    // Absent when no worker has answered in time.
    const { whence_dataset_version: version } = (await server.metrics()).gauges;
    if (version !== undefined) return version > 0;
    await sleep(POLL_MS);
  }
  return false;
}

/** Processes see a new version a moment after it is published. */
export async function untilReady(url: string, signals: StopSignals): Promise<void> {
  while (signals.count === 0) {
    const status = await askReadiness(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await sleep(POLL_MS);
  }
}

/**
 * Connections wait in the queue of the port while no worker is alive, and for ever if none can be
 * started.
 */
const ANSWER_MS = 5_000;

/**
 * The answer of `/readyz`. The first use of `fetch` takes 40 ms, and the first requests would wait
 * for it.
 */
function askReadiness(url: string): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const options = { signal: AbortSignal.timeout(ANSWER_MS) };
    get(`${url}/readyz`, options, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    }).once('error', reject);
  });
}

type ReadyFlags = { readonly unknown_flags?: FlagSubject[]; readonly dated_flags?: FlagSubject[] };

/** An unknown flag is false in every answer, which readers of the first answers should know. */
export async function tellUnknownFlags(url: string): Promise<string> {
  try {
    // Our own answer; without a dataset (a first pull) it has no data.
    const { data } = (await askReadiness(url)).body as { data?: ReadyFlags };
    const note = flagNote({ unknown: data?.unknown_flags ?? [], dated: data?.dated_flags ?? [] });
    return note === '' ? '' : `\n${note}`;
  } catch {
    return '';
  }
}
