/** Where an export goes. `write` returns when more may be written: memory holds one chunk, not the whole file. */
export type Sink = { write(chunk: string | Uint8Array): Promise<void> };
