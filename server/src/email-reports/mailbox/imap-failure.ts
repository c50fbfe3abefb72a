/**
 * What an error of a session with a mail server means for the person who has to repair it. Texts of
 * the server are left out: they may be anything.
 */
import { type Mailbox, MailboxError } from './mailbox.ts';

const NO_ADDRESS = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME'];
const SILENT = [
  'CONNECT_TIMEOUT',
  'ETIMEDOUT',
  'ETIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
];
const NO_TLS = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];
const NO_IMAP = [
  'GREETING_TIMEOUT',
  'ClosedAfterConnectTLS',
  'ClosedAfterConnectText',
  'InvalidResponse',
];
const TOO_MUCH = ['LiteralTooLarge', 'LineTooLarge', 'ResponseTooLarge'];
const CERTIFICATE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
};

const NO_AUTHORITY = /^(?:DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET))_/;

/** RFC 5530 §3: refusals that may be over later, and say nothing about the settings. */
export const isRefusedNow = ({ serverResponseCode: code }: SessionError): boolean =>
  /^(?:UNAVAILABLE|LIMIT|INUSE|SERVERBUG|CONTACTADMIN)$/.test(String(code));

/** As errors of the IMAP library, of sockets and of TLS have them. */
type SessionError = {
  readonly code?: unknown;
  readonly authenticationFailed?: unknown;
  readonly serverResponseCode?: unknown;
  readonly message?: unknown;
};

export function sentenceOf(error: unknown, { host, port, isTls }: Mailbox): string {
  if (error instanceof MailboxError) return error.message;
  const { code: given, authenticationFailed, message } = error as SessionError;
  const code = typeof given === 'string' ? given : '';
  const server = `${host}:${port}`;
  if (isRefusedNow(error as SessionError)) return `${host} refuses the user or the folder for now.`;
  if (authenticationFailed === true) return `${host} does not accept the user or the password.`;
  if (NO_ADDRESS.includes(code)) return `${host} has no address: its name is unknown to DNS here.`;
  if (code === 'ECONNREFUSED') return `No program listens on ${server}.`;
  if (SILENT.includes(code)) return `${server} does not answer.`;
  const certificate = NO_AUTHORITY.test(code)
    ? 'no authority that this machine knows has issued it'
    : CERTIFICATE[code];
  if (certificate !== undefined)
    return `The certificate of ${server} is not accepted: ${certificate}. NODE_EXTRA_CA_CERTS names a file with an authority of your own.`;
  if (isTls && (NO_TLS.includes(code) || code.startsWith('ERR_SSL')))
    return `${server} does not speak TLS: IMAP over TLS is on port 993.`;
  if (NO_IMAP.includes(code) || /greeting/i.test(String(message)))
    return `${server} does not speak IMAP${isTls ? ': IMAP over TLS is on port 993' : ''}.`;
  if (TOO_MUCH.includes(code)) return `${server} sends answers that are too large.`;
  return `${server} has ended the connection${code === '' ? '' : ` (${code})`}.`;
}
