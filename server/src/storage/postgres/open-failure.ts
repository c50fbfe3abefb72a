/** Why a database could not be opened, as a sentence for the person who wrote its URL: what failed, where, what to do. */
import { StorageUnavailable } from '../storage-unavailable.ts';

/** SQLSTATE, or a code of Node. */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'Check the user and the password in the URL (characters such as @ : / must be escaped), or PGPASSWORD.',
  '28000': 'The server does not accept this user from this address: check its pg_hba.conf.',
  '3D000': 'Create it with its user as the owner: CREATE DATABASE … OWNER …',
  '3F000': 'The user must be able to create tables: make it the owner of the database.',
  '42501': 'The user must be able to create tables: make it the owner of the database.',
  '25006': 'It is read-only: name the primary server, not a standby.',
  '53300': 'All connections of the server are in use: raise its max_connections, or put a pooler in front.',
  '57P03': 'It is starting, stopping or recovering: see its log.',
  ENOTFOUND: 'Its host name cannot be resolved.',
  EAI_AGAIN: 'Its host name cannot be resolved at the moment.',
  ECONNREFUSED: 'Is PostgreSQL running, and does it listen on that address and port?',
  EHOSTUNREACH: 'There is no route to its host.',
  ENETUNREACH: 'There is no route to its host.',
  ENOENT: 'Check sslrootcert, sslcert and sslkey in the URL.',
  EACCES: 'Check who may read the files that sslrootcert, sslcert and sslkey name.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use the name that the certificate is for, or sslmode=verify-ca.',
  CERT_HAS_EXPIRED: 'Renew the certificate of the server.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Name the authority of its certificate with sslrootcert in the URL.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Name the authority of its certificate with sslrootcert in the URL.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Name the authority of its certificate with sslrootcert in the URL.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Name the authority of its certificate with sslrootcert in the URL.',
};

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
  [/timeout|timed out/i, 'it does not answer', 'Check host and port, and whether a firewall lets connections through.'],
];

/** States of a server, or of a pooler, that pass by themselves. */
const PASSING: readonly RegExp[] = [
  /^57P03$/,
  /^53300$/,
  /^ECONNREFUSED$/,
  /no more connections allowed/,
  /server login has been failing/,
];

/** Why it cannot be opened yet, if that passes by itself. */
export function passingReason(error: unknown): string | undefined {
  if (!(error instanceof StorageUnavailable)) return undefined;
  const { message, code = '' } = origin(error);
  return PASSING.some((pattern) => pattern.test(code) || pattern.test(message)) ? message || code : undefined;
}

/** `place` is the database without user and password. Other errors are returned unchanged. */
export function openFailure(error: unknown, place: string, waitMs: number): unknown {
  if (!(error instanceof StorageUnavailable) || error.cause === undefined) return error;
  const { message, code } = origin(error);
  const known = MESSAGES.find(([pattern]) => pattern.test(message));
  const advice = known?.[2] ?? (code !== undefined && Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined);
  // The outermost message names the schema step that failed.
  const reason = known?.[1] ?? (error.cause instanceof StorageUnavailable ? error.message : message || code);
  const waited = waitMs === 0 || passingReason(error) === undefined ? '' : `, for ${waitMs / 1000} s`;
  return new StorageUnavailable(
    `${place} cannot be used: ${reason}${waited}${advice === undefined ? '' : `. ${advice}`}`,
    {
      cause: error.cause,
    },
  );
}

/** An AggregateError has one error per address; the first is enough. */
function origin(error: Error & { code?: string }): { message: string; code?: string } {
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner instanceof Error ? origin(inner) : error;
}
