/** Throws an error that says what the URL must be. A file of its own: a setting must not load the HTTP client. */
export function parseHostUrl(text: string): URL {
  const words = 'an http:, https: or file: URL';
  if (!URL.canParse(text)) throw new Error(words);
  const url = new URL(text);
  if (!['http:', 'https:', 'file:'].includes(url.protocol)) throw new Error(words);
  if (url.protocol === 'file:' && url.host !== '') throw new Error('a file: URL without a host: file:///folder');
  url.hash = '';
  return url;
}
