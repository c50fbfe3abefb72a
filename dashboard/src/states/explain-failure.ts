/** A failure in words: what failed, and what to do. */
import { isFailure } from '../api/failure.ts';
import { duration } from '../format/time.ts';

export type Explanation = { readonly title: string; readonly text: string };

export function explainFailure(error: unknown): Explanation {
  if (!isFailure(error)) {
    return { title: 'This page has a fault', text: `Reload it. ${error instanceof Error ? error.message : ''}`.trim() };
  }
  const again = error.retryAfterSeconds === undefined ? '' : ` Try again in ${duration(error.retryAfterSeconds)}.`;
  switch (error.code) {
    case 'OFFLINE':
      return {
        title: 'The server cannot be reached',
        text: 'Check the connection, or whether the server runs.',
      };
    case 'FORBIDDEN':
      return { title: 'Your role does not allow this', text: `${requiredRole(error.details)}Ask an administrator.` };
    case 'CROSS_SITE':
      return {
        title: 'The server refused the request as coming from another site',
        text: 'Reload the page. Behind a proxy, check that it passes Host and Origin on.',
      };
    case 'RATE_LIMIT_EXCEEDED':
      // Without an account the limit is one of seconds.
      if ((error.retryAfterSeconds ?? Number.POSITIVE_INFINITY) <= 60) {
        return { title: 'Too many look-ups at once from your address', text: again.trim() };
      }
      return { title: 'Your look-ups for today are used up', text: `They start again at 00:00 UTC.${again}` };
    case 'TOO_MANY_ATTEMPTS':
      return { title: 'Too many wrong passwords', text: again.trim() || 'Wait a minute, then try again.' };
    case 'DATASET_UNAVAILABLE':
    case 'NOT_READY':
      return {
        title: 'No dataset is loaded yet',
        text: 'The first one takes about a minute to build. Email-domain checks work without it.',
      };
    case 'DNS_UNAVAILABLE':
      return { title: 'No DNS server answered', text: `Check WHENCE_DNS_SERVERS and the network.${again}` };
    case 'STORAGE_UNAVAILABLE':
      return { title: 'The storage does not answer', text: `Look-ups go on; keys and accounts wait for it.${again}` };
    case 'OVERLOADED':
      return { title: 'The server has too much to do', text: again.trim() || 'Try again in a moment.' };
    case 'NOT_FOUND':
    case 'ROUTE_NOT_FOUND':
      return { title: 'Not found', text: 'It does not exist, or is not yours to see.' };
    case 'INTERNAL':
      return { title: 'The server failed', text: 'Its log has the reason under the request id below.' };
    default: {
      const rule = error.details['rule'];
      return { title: sentence(error.message), text: typeof rule === 'string' ? sentence(rule) : again.trim() };
    }
  }
}

function requiredRole(details: Readonly<Record<string, unknown>>): string {
  return typeof details['required'] === 'string' ? `It needs the role ${details['required']}. ` : '';
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
