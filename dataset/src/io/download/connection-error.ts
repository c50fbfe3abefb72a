import { STATUS_CODES } from 'node:http';

export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** Whether a second attempt may succeed. */
  readonly isPassing: boolean;
  /** Whether DNS has no address for the peer, or does not answer. */
  readonly isUnresolved: boolean;

  constructor(reason: string, isPassing: boolean, isUnresolved = false) {
    super(reason);
    this.isPassing = isPassing;
    this.isUnresolved = isUnresolved;
  }
}

/** `party` is the peer: `example.com`, `the proxy 192.0.2.1`. */
export function connectionError(error: unknown, party: string): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const { code = '', message, reason, cert } = systemErrorOf(error);
  const describe = CONNECTION_ERRORS[code];
  if (describe !== undefined)
    return new ConnectionError(
      describe(party),
      code !== 'ENOTFOUND',
      code === 'ENOTFOUND' || code === 'EAI_AGAIN',
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = cert?.subjectaltname?.replaceAll(/DNS:|IP Address:/g, '') || 'no name at all';
    return new ConnectionError(`the certificate of ${party} is for another host: ${names}`, false);
  }
  const untrusted = CERTIFICATE_ERRORS[code];
  if (untrusted !== undefined)
    return new ConnectionError(`the certificate of ${party} ${untrusted}`, false);
  if (code.includes('CERT'))
    return new ConnectionError(`the certificate of ${party} is refused: ${message}`, false);
  if (NOT_TLS.has(code))
    return new ConnectionError(
      `${party} does not speak TLS on this port; use http: if it is not an https: server`,
      false,
    );
  if (code.startsWith('ERR_SSL') || code === 'EPROTO')
    return new ConnectionError(
      `the TLS handshake with ${party} failed: ${reason ?? message}`,
      false,
    );
  if (code.startsWith('HPE_'))
    return new ConnectionError(
      `the answer of ${party} cannot be read as HTTP: ${reason ?? message}`,
      false,
    );
  return new ConnectionError(`no connection to ${party}: ${message || code}`, true);
}

type SystemError = {
  readonly code?: string;
  readonly message: string;
  /** Set by OpenSSL and by the HTTP parser. */
  readonly reason?: string;
  readonly cert?: { readonly subjectaltname?: string };
};

/** A host with several addresses causes an error for each; the first one is reported. */
function systemErrorOf(error: unknown): SystemError {
  return (error instanceof AggregateError ? (error.errors[0] ?? error) : error) as SystemError;
}

const noRoute = (party: string) => `no route to ${party}; check the network of this machine`;
const closed = (party: string) => `${party} closed the connection before it answered`;

const CONNECTION_ERRORS: Readonly<Record<string, (party: string) => string>> = {
  ENOTFOUND: (party) => `${party} does not exist in DNS`,
  EAI_AGAIN: (party) =>
    `${party} could not be resolved; check the network and the DNS servers of this machine`,
  ECONNREFUSED: (party) => `${party} refused the connection`,
  ECONNRESET: closed,
  EPIPE: closed,
  ETIMEDOUT: (party) => `${party} does not answer`,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ENETDOWN: noRoute,
  EADDRNOTAVAIL: noRoute,
  EACCES: (party) => `this machine does not permit a connection to ${party}; check its firewall`,
  EPERM: (party) => `this machine does not permit a connection to ${party}; check its firewall`,
};

const UNKNOWN_ISSUER =
  'is not trusted: its issuer is not known here; to trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate of the issuer';

const CERTIFICATE_ERRORS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'is not trusted: it is self-signed; to trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  CERT_UNTRUSTED: UNKNOWN_ISSUER,
  CERT_HAS_EXPIRED:
    'has expired; if the clock of this machine is right, its operator has to renew it',
  CERT_NOT_YET_VALID: 'is not valid yet; check the clock of this machine',
  CERT_REVOKED: 'was revoked',
};

/** The errors of OpenSSL for bytes of another protocol. */
const NOT_TLS: ReadonlySet<string> = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

export function formatStatus(status: number): string {
  return `answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
}
