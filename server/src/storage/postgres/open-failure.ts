/**
 * Why a database could not be opened, as a sentence for the person who wrote its URL: what failed,
 * where, what to do.
 */
import { StorageUnavailable } from '../storage-unavailable.ts';

/** By SQLSTATE, or a code of Node. */
const ADVICE: readonly (readonly [codes: RegExp, advice: string])[] = [
  [
    /^28P01$/,
    'Check the user and the password in the URL (characters such as @ : / must be escaped), or PGPASSWORD.',
  ],
  [/^28000$/, 'The server does not accept this user from this address: check its pg_hba.conf.'],
  [/^3D000$/, 'Create it with its user as the owner: CREATE DATABASE … OWNER …'],
  [/^(3F000|42501)$/, 'The user must be able to create tables: make it the owner of the database.'],
  [/^25006$/, 'It is read-only: name the primary server, not a standby.'],
  [
    /^53300$/,
    'All connections of the server are in use: raise its max_connections, or put a pooler in front.',
  ],
  [/^57P03$/, 'It is starting, stopping or recovering: see its log.'],
  [/^ENOTFOUND$/, 'Its host name cannot be resolved.'],
  [/^EAI_AGAIN$/, 'Its host name cannot be resolved at the moment.'],
  [/^ECONNREFUSED$/, 'Is PostgreSQL running, and does it listen on that address and port?'],
  [/^E(HOST|NET)UNREACH$/, 'There is no route to its host.'],
  [/^ENOENT$/, 'Check sslrootcert, sslcert and sslkey in the URL.'],
  [/^EACCES$/, 'Check who may read the files that sslrootcert, sslcert and sslkey name.'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'Use the name that the certificate is for, or sslmode=verify-ca.',
  ],
  [/^CERT_HAS_EXPIRED$/, 'Renew the certificate of the server.'],
  [
    /SELF_SIGNED_CERT|^UNABLE_TO/,
    'Name the authority of its certificate with sslrootcert in the URL.',
  ],
];

/** Messages of pg that have no code. */
const MESSAGES: readonly (readonly [RegExp, string, string])[] = [
  [
    /client password must be a(?: non-empty)? string/,
    'it requires a password, and none is set',
    'Put it into the URL, PGPASSWORD or a password file.',
  ],
  [
    /does not support SSL/,
    'it does not offer TLS',
    'Turn it on there (ssl = on), or use sslmode=disable where the network is yours.',
  ],
  [
    /^connect ENOENT/,
    'its socket does not exist',
    'Is PostgreSQL running, and is its socket in that folder?',
  ],
  [
    /^answers too slowly/,
    'it answers some connections in time and others not',
    'It is overloaded, or something holds locks: see its load and its log.',
  ],
  [
    /timeout|timed out/i,
    'it does not answer',
    'Check host and port, and whether a firewall lets connections through.',
  ],
];

/**
 * States that pass by themselves, also a name that is unknown until its service runs, and a
 * read-only standby.
 */
const PASSING: readonly RegExp[] = [
  /^E(AI_AGAIN|NOTFOUND|PIPE|TIMEDOUT|CONN(REFUSED|RESET|ABORTED)|(HOST|NET)(UNREACH|DOWN))$/,
  /^(08(00.|P02)|57P0[1235]|53300)$/,
  /^(connect ENOENT|the server is read-only|Connection terminated|socket disconnected)/i,
  /timeout( (expired|exceeded.*))?$|timed out/i,
  // Messages of PgBouncer.
  /no more connections allowed|server login has been failing|cannot connect to server|server conn crashed|shutting down/,
];

/** Why it cannot be opened yet, if that passes by itself. Of several hosts, one is enough. */
export function passingReason(error: unknown): string | undefined {
  const passing = error instanceof StorageUnavailable ? origins(error).find(isPassing) : undefined;
  return passing === undefined ? undefined : passing.message || passing.code;
}

/** `place` is the database without user and password. Other errors are returned unchanged. */
export function openFailure(error: unknown, place: string, waitMs: number): unknown {
  if (!(error instanceof StorageUnavailable) || error.cause === undefined) return error;
  const all = origins(error);
  const { message, code } = all.find((origin) => !isPassing(origin)) ?? (all[0] as Origin);
  const messageOf = (text: string) => MESSAGES.find(([pattern]) => pattern.test(text));
  const advice = messageOf(message)?.[2] ?? ADVICE.find(([codes]) => codes.test(code ?? ''))?.[1];
  const reasons = new Set(
    all.map((origin) => messageOf(origin.message)?.[1] ?? (origin.message || origin.code)),
  );
  // The outermost message names the schema step that failed.
  const reason =
    error.cause instanceof StorageUnavailable && !messageOf(message)
      ? error.message
      : [...reasons].join('; ');
  const waited =
    waitMs === 0 || passingReason(error) === undefined ? '' : `, for ${waitMs / 1000} s`;
  return new StorageUnavailable(
    `${place} cannot be used: ${reason}${waited}${advice === undefined ? '' : `. ${advice}`}`,
    {
      cause: error.cause,
    },
  );
}

type Origin = { readonly message: string; readonly code?: string };

const isPassing = ({ message, code = '' }: Origin) =>
  PASSING.some((pattern) => pattern.test(code) || pattern.test(message));

/**
 * An AggregateError has one error per host or address. The cause of a timeout is the connection
 * that was cut by it.
 */
function origins(error: Error & { code?: string }): Origin[] {
  if (error instanceof AggregateError) return error.errors.flatMap(origins);
  return error.cause instanceof Error && !/connection timeout$/.test(error.message)
    ? origins(error.cause)
    : [error];
}
