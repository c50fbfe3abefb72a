/**
 * Where the output of a command goes. `write` returns when more may be written: memory holds one chunk, not the whole output. From then on the bytes
 * belong to the caller again, who may write the next ones over them.
 */
export type Sink = { write(chunk: string | Uint8Array): Promise<void> };
