/**
 * The URL of a PostgreSQL deployment as libpq reads it: several hosts, separated by commas, of which a failover makes
 * another one the primary, and `target_session_attrs`. `pg` knows neither.
 */

/** The other values of libpq accept standbys, which cannot be written to. */
const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'] as const;
const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey'];
type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];

export type DatabaseUrl = {
  /** A URL per host, in the order in which they are tried. */
  readonly hosts: readonly string[];
  /** Which servers a connection may be kept to. */
  readonly attributes: SessionAttributes;
  /** For messages: without user, password and parameters. */
  readonly name: string;
  /** Parameters that name files. */
  readonly files: readonly (readonly [parameter: string, path: string])[];
};

/** Throws an error whose message completes "must be …". */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const match = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(\/[^?#]+)(\?[^#]*)?$/.exec(text);
  const [, start = '', hostList = '', path = '', query = ''] = match ?? [];
  const hosts = hostList.split(',');
  const urls = hosts.map((host) => `${start}${host}${path}`);
  if (match === null || (hosts.length > 1 && hosts.includes('')) || !urls.every((url) => URL.canParse(url)))
    throw new Error('a URL such as postgres://user:password@host:5432/database');
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get('target_session_attrs') ?? 'any';
  if (!isSupported(attributes)) throw new Error(`a URL with target_session_attrs ${SESSION_ATTRIBUTES.join(', ')}`);
  parameters.delete('target_session_attrs');
  const rest = parameters.size === 0 ? '' : `?${parameters}`;
  const files = [...parameters].filter(([name, file]) => TLS_FILES.includes(name) && file !== '');
  return { hosts: urls.map((url) => `${url}${rest}`), attributes, name: `postgres://${hostList}${path}`, files };
}

function isSupported(attributes: string): attributes is SessionAttributes {
  return (SESSION_ATTRIBUTES as readonly string[]).includes(attributes);
}
