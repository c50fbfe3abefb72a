/**
 * Destination of a command's output. `write` resolves when more may be written, so memory holds one chunk and not the
 * whole output. After that the caller may reuse the buffer of the chunk.
 */
export type Sink = { write(chunk: string | Uint8Array): Promise<void> };
