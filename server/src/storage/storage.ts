/** The storage of the server. Nothing above it knows the engine. */
import type { openStorage } from './open-storage.ts';

export type Storage = Awaited<ReturnType<typeof openStorage>>;
