/** What fetching the feeds costs, where an administrator is asked whether to. */
import { UPDATE_COST } from '@whence/server/vocabulary';

const { feeds, megabytes, seconds, gigabytesOfMemory } = UPDATE_COST;

export const COST_WORDS = `${feeds} lists from their publishers, each under its own terms: about ${megabytes} MB, and in the background ${seconds} s of processor time and ${gigabytesOfMemory} GB of memory.`;
