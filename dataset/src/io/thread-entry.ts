/** Calls an exported function of a module in a thread, and posts what it returns or throws. */
import { parentPort, workerData } from 'node:worker_threads';

/** `stepMs`: processor time that the call may take. */
export type ThreadCall = {
  readonly module: string;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly stepMs?: number | undefined;
};
export type ThreadResult<T> =
  | { readonly value: T }
  | { readonly error: Pick<NodeJS.ErrnoException, ErrorField> };
type ErrorField = 'name' | 'message' | 'code' | 'errno';

// Passed by `runInThread`, the only caller.
const { module, name, args, stepMs } = workerData as ThreadCall;
if (stepMs !== undefined) parentPort?.postMessage(stepMs);
try {
  const functions = (await import(module)) as Record<
    string,
    (...given: readonly unknown[]) => unknown
  >;
  const value = await functions[name]?.(...args);
  // Bytes are handed over without a copy.
  parentPort?.postMessage(
    { value },
    ArrayBuffer.isView(value) ? [value.buffer as ArrayBuffer] : [],
  );
} catch (error) {
  // An error that is thrown here reaches the main thread without its class.
  const { name: kind, message, code, errno } = error as NodeJS.ErrnoException;
  parentPort?.postMessage({
    error: {
      name: kind,
      message,
      ...(code !== undefined && { code }),
      ...(errno !== undefined && { errno }),
    },
  });
}
