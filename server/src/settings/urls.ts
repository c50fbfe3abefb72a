/** Parsers of settings that are URLs and origins. They throw an error that says what the value must be. */
import { parseHostUrl } from '@whence/dataset/static-host-url';
import { parseList } from './values.ts';

export function parsePublicUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.origin !== text.replace(/\/$/, '').toLowerCase())
    throw new Error('an origin such as https://whence.example.com, without a path');
  return url.origin;
}

/** What the provider says is believed, so it must come over TLS, or from this machine. */
export function parseIssuer(text: string): URL | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url === undefined || (url.protocol !== 'https:' && !isLocal)) throw new Error('an https: URL');
  return url;
}

/** As browsers send them: scheme, host and port, nothing behind them. */
export function parseOrigins(text: string): string[] {
  const origins = parseList(text);
  for (const origin of origins) {
    if (origin !== '*' && !(URL.canParse(origin) && new URL(origin).origin === origin))
      throw new Error('origins such as https://app.example.com without a path, separated by commas, or *');
  }
  return origins;
}

export function parseDatasetUrl(text: string): string | undefined {
  if (text === '') return undefined;
  // Throws if the URL is invalid.
  parseHostUrl(text);
  return text;
}

/** The modes of libpq that can be kept: `allow` and `prefer` fall back to plain text without a word. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

export function parseDatabaseUrl(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text) || new URL(text).pathname.length < 2)
    throw new Error('a URL such as postgres://user:password@host:5432/database');
  const { searchParams } = new URL(text);
  const sslMode = searchParams.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode)) throw new Error(`a URL with sslmode ${SSL_MODES.join(', ')}`);
  if (sslMode === 'verify-ca' && !searchParams.has('sslrootcert'))
    throw new Error('a URL with sslrootcert for sslmode verify-ca');
  return text;
}
