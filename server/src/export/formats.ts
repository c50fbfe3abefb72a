/** The formats of `whence dataset export`. */
export const EXPORT_FORMATS = [
  'mmdb',
  'csv',
  'parquet',
  'ndjson',
  'clickhouse',
  'nftables',
  'ipset',
  'haproxy',
  'nginx-geo',
] as const;
export type Format = (typeof EXPORT_FORMATS)[number];
