/**
 * The addresses of the last runs, in this browser only, so that a reload does not lose
 * them. Results are not kept: they are looked up again, in the dataset of that time.
 */
import type { ScanCounts } from '../scan.ts';

export type SavedRun = {
  readonly id: string;
  /** Another person who signs in at the same browser does not see them. */
  readonly accountId: string;
  readonly source: string;
  readonly counts: ScanCounts;
  readonly found: readonly (readonly [text: string, times: number])[];
};

const DATABASE = 'whence-runs';
const STORE = 'runs';
const MAX_RUNS = 5;

/** Ids sort by time. `crypto.randomUUID` does not exist without TLS. */
export function newRunId(): string {
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return `${Date.now().toString(36)}${random.toString(36)}`;
}

/** A browser that refuses to store, such as in private mode, only loses the run at a reload. */
export async function saveRun(run: SavedRun): Promise<void> {
  await inStore('readwrite', (store) => {
    store.put(run);
    const keys = store.getAllKeys();
    keys.addEventListener('success', () => {
      for (const id of keys.result.slice(0, -MAX_RUNS)) store.delete(id);
    });
    return undefined;
  }).catch(() => undefined);
}

export async function loadRun({
  id,
  accountId,
}: Pick<SavedRun, 'id' | 'accountId'>): Promise<SavedRun | undefined> {
  const stored = await inStore('readonly', (store) => store.get(id)).catch(() => undefined);
  const run = stored as SavedRun | undefined;
  return run?.accountId === accountId ? run : undefined;
}

export async function removeRuns(): Promise<void> {
  await inStore('readwrite', (store) => store.clear()).catch(() => undefined);
}

type Work = (store: IDBObjectStore) => IDBRequest | undefined;

/** Runs the work in a transaction of its own, and resolves with the result of its request. */
async function inStore(mode: IDBTransactionMode, work: Work): Promise<unknown> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.addEventListener('complete', () => resolve(request?.result));
      transaction.addEventListener('error', () => reject(transaction.error));
      transaction.addEventListener('abort', () => reject(transaction.error));
    });
  } finally {
    database.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.addEventListener('upgradeneeded', () =>
      request.result.createObjectStore(STORE, { keyPath: 'id' }),
    );
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
