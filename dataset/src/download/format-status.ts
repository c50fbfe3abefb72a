/** Words for a status, as the rest of a sentence. Those of the server are not repeated: they may be anything. */
import { STATUS_CODES } from 'node:http';

export function formatStatus(status: number): string {
  return `answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
}
