import { refresh } from '../api/query-client.ts';

/** After a change of a key, everything that shows keys is loaded again. */
export const refreshKeys = () => refresh('listKeys', 'getKey', 'getKeyAudit');
