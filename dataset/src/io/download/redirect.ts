/** Where requests may go, and where a redirect may lead. */

/** The address that a redirect leads to, or why it is not followed, as the rest of a sentence. */
export function followRedirect(from: URL, location: string): URL | string {
  if (!URL.canParse(location, from.href)) return `to ${JSON.stringify(location)}, which is not a URL`;
  const to = new URL(location, from);
  const objection = urlObjection(to);
  if (objection !== undefined) return `to a URL ${objection}`;
  // Credentials come from the operator only; those in a redirect would be chosen by the server.
  if (to.username !== '' || to.password !== '') return 'to a URL with a user name or password, which is refused';
  if (from.protocol === 'https:' && to.protocol === 'http:') return `from https to http (${to.host}), which is refused`;
  return to;
}

/** Why this URL cannot be requested, as the rest of a sentence. */
export function urlObjection({ protocol }: URL): string | undefined {
  return protocol === 'https:' || protocol === 'http:'
    ? undefined
    : `with the scheme ${protocol} and not https: or http:`;
}
