/** What every response has around its data. */

export type Envelope<Data, Meta> = { data: Data; meta: Meta };

/** ASN, search, email, dataset and health responses, and most errors, have no other field. */
export type TimedMeta = { processing_time_ms: number };
export type BatchMeta = TimedMeta & { request_id: string };
/** An IP lookup without a result (404). Where there is no such version, only the time. */
export type IpNotFoundMeta = TimedMeta & { cache_status?: 'MISS'; dataset_version?: number };
export type IpMeta = TimedMeta & { request_id: string; cache_status: 'HIT' | 'MISS'; dataset_version: number };
