/**
 * What libpq reads in a URL and `pg` does not: several hosts, `target_session_attrs` and
 * `connect_timeout`.
 */

/** The other values of libpq accept standbys, which cannot be written to. */
const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'] as const;
const WAIT_SECONDS = { default: 30, max: 3_600 };
type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];

type DatabaseUrl = {
  /** A URL per host, in the order in which they are tried. */
  readonly hosts: readonly string[];
  /** Which servers a connection may be kept to. */
  readonly attributes: SessionAttributes;
  /** How long opening it waits while it is starting or has no free connection. */
  readonly waitMs: number;
  /** For messages: without user, password and parameters. */
  readonly name: string;
};

/** Throws an error whose message completes "must be …". */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const match = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(\/[^?#]+)(\?[^#]*)?$/.exec(text);
  const [, start = '', hostList = '', path = '', query = ''] = match ?? [];
  const hosts = hostList.split(',');
  const urls = hosts.map((host) => `${start}${host}${path}`);
  if (
    match === null ||
    (hosts.length > 1 && hosts.includes('')) ||
    !urls.every((url) => URL.canParse(url))
  )
    throw new Error('a URL such as postgres://user:password@host:5432/database');
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get('target_session_attrs') ?? 'any';
  if (!isSupported(attributes))
    throw new Error(`a URL with target_session_attrs ${SESSION_ATTRIBUTES.join(', ')}`);
  const seconds = parameters.get('connect_timeout') ?? String(WAIT_SECONDS.default);
  if (!/^[1-9][0-9]{0,3}$/.test(seconds) || Number(seconds) > WAIT_SECONDS.max)
    throw new Error(`a URL with a connect_timeout from 1 to ${WAIT_SECONDS.max}, in seconds`);
  for (const own of ['target_session_attrs', 'connect_timeout']) parameters.delete(own);
  const rest = parameters.size === 0 ? '' : `?${parameters}`;
  return {
    hosts: urls.map((url) => `${url}${rest}`),
    attributes,
    waitMs: Number(seconds) * 1000,
    name: `postgres://${hostList}${path}`,
  };
}

function isSupported(attributes: string): attributes is SessionAttributes {
  return (SESSION_ATTRIBUTES as readonly string[]).includes(attributes);
}
