/** The batch of this browser tab: one at a time. It outlives its page, so that opening an address does not lose it. */
import { call } from '../api/query-client.ts';
import { BatchRun } from './batch-run.ts';

export const currentRun = new BatchRun(call);
