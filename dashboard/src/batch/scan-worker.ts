/**
 * A web worker that reads text or a file in chunks, so that a log of a gigabyte is never one
 * string.
 */

import type { ScanInput, Scanner, ScanReport } from '../scan.ts';
import { AddressScanner } from './address-scanner.ts';

const REPORT_MS = 150;
const GZIP = [0x1f, 0x8b] as const;

self.addEventListener('message', ({ data }: MessageEvent<ScanInput>) => {
  scan(data).catch((error: unknown) => {
    report({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  });
});

async function scan(request: ScanInput): Promise<void> {
  const scanner = new AddressScanner();
  if ('text' in request) scanner.push(request.text);
  else await scanFile(request.file, scanner);
  scanner.finish();
  report({ kind: 'done', counts: scanner.counts, found: scanner.found });
}

async function scanFile(file: File, scanner: Scanner): Promise<void> {
  let bytes = 0;
  let reportedAt = performance.now();
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
  const reader = (await decompressed(file, file.stream().pipeThrough(counted))).getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    scanner.push(chunk.value);
    const now = performance.now();
    if (now - reportedAt < REPORT_MS) continue;
    reportedAt = now;
    report({ kind: 'progress', bytes, counts: scanner.counts });
  }
}

async function decompressed(file: File, stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzip = start[0] === GZIP[0] && start[1] === GZIP[1];
  return isGzip ? stream.pipeThrough(new DecompressionStream('gzip')) : stream;
}

function report(message: ScanReport): void {
  self.postMessage(message);
}
