/** The first batch of a writer of its own, for tests that add statistics. */
import { randomUUID } from 'node:crypto';
import type { Batch } from '../../storage/statistics-changes.ts';

export const newBatch = (): Batch => ({ writer: randomUUID(), number: 1 });
