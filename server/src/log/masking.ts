// Secrets in URLs of settings and catalogues: user names, passwords, query values, and tokens in
// paths. Masked wherever they appear, since libraries quote URLs in errors, in parts and decoded or
// not.
import { maskSecrets } from '../keys/secret.ts';

const MASK = '***';

/**
 * Shorter ones would be replaced in the middle of words. A URL that has them is masked by its form,
 * in `maskText`.
 */
const MIN_LENGTH = 4;

/**
 * Scheme, user information, host, path, query, fragment. Hosts may be several, separated by commas.
 */
const URL_PARTS =
  /^[a-z][a-z0-9+.-]*:\/\/(?:([^@/?#]*)@)?[^/?#]*([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/i;
const SECRET_NAME = /token|key|secret|sig|pass|auth|code|credential/i;

/**
 * Parts of a URL that may be secrets; of a text that is none, whatever stands before an @ or in a
 * query.
 */
export function secretsInUrl(text: string): string[] {
  const [, user = '', path = '', query = '', fragment = ''] = URL_PARTS.exec(text) ?? [];
  const [name = '', ...rest] = user.split(':');
  const password = rest.join(':');
  const isParsed = URL_PARTS.test(text);
  const stray = isParsed
    ? []
    : [/:\/\/(.*)@/.exec(text)?.[1] ?? '', /\?(.*)/.exec(text)?.[1] ?? ''];
  const values = [...new URLSearchParams(query)]
    .filter(
      ([key, value]) => SECRET_NAME.test(key) || (looksLikeToken(value) && !value.startsWith('/')),
    )
    .map(([, value]) => value);
  const segments = path.split('/').filter(looksLikeToken);
  const names = password === '' || looksLikeToken(name) ? [name] : [];
  return [password, ...names, ...values, ...segments, fragment, ...stray].filter(
    (secret) => secret.length >= MIN_LENGTH,
  );
}

/**
 * Long, with letters and digits, and no name of a file. A word that is taken for one is masked in
 * messages, no more.
 */
const looksLikeToken = (text: string) => /^(?=.*\d.*\d)(?=.*[a-z])[^.,]{12,}$/i.test(text);

export function masking(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(
    secrets.flatMap((secret) => [secret, decoded(secret), encodeURIComponent(decoded(secret))]),
  );
  const all = [...forms].flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]);
  const longestFirst = [...new Set(all)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * What is secret by its form: keys of Whence, and the user information and the query of a URL.
 * Bounded: texts may be long.
 */
export function maskText(text: string): string {
  const masked = maskSecrets(text);
  if (!masked.includes('://')) return masked;
  return masked
    .replaceAll(/:\/\/[^\s/@"'`?#]{1,1000}@/g, `://${MASK}@`)
    .replaceAll(/(:\/\/[^\s"'`?]{0,1000})\?[^\s"'`]*/g, '$1');
}
