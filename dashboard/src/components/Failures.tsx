/** How failures are shown: as a notice on a page, or as a page of their own. */
import { Button } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isFailure } from '../api/call.ts';
import { isPassing, reloadWhenReachable } from '../api/recovery.ts';
import { duration } from '../format/time.ts';
import { Copyable } from './Copy.tsx';
import { Notice } from './Notice.tsx';
import { Page } from './Page.tsx';

export function FailureNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, text } = explainFailure(error);
  const requestId = isFailure(error) ? error.requestId : undefined;
  return (
    <Notice title={title} tone="bad">
      {text !== '' && <p>{text}</p>}
      {onRetry !== undefined && isPassing(error) && <p>This page tries again by itself.</p>}
      {requestId !== undefined && (
        <p>
          Request <Copyable text={requestId} isMono />
        </p>
      )}
      {onRetry !== undefined && (
        <Button size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Notice>
  );
}

/** A failure in words: what failed, and what to do. */

type Explanation = { readonly title: string; readonly text: string };

export function explainFailure(error: unknown): Explanation {
  if (!isFailure(error)) {
    return {
      title: 'Something went wrong on this page',
      text: `Reload the page. ${error instanceof Error ? error.message : ''}`.trim(),
    };
  }
  const again = error.retryAfterSeconds === undefined ? '' : ` Try again in ${duration(error.retryAfterSeconds)}.`;
  switch (error.code) {
    case 'OFFLINE':
      return {
        title: 'The server cannot be reached',
        text: 'Check your connection, and that the server is running.',
      };
    case 'FORBIDDEN':
      return { title: 'Your role does not allow this', text: `${requiredRole(error.details)}Ask an administrator.` };
    case 'CROSS_SITE':
      return {
        title: 'The server rejected the request as cross-site',
        text: 'Reload the page. If there is a proxy, check that it forwards the Host and Origin headers.',
      };
    case 'RATE_LIMIT_EXCEEDED':
      // The limit of an account per second, or of an address without one, resets within seconds.
      if ((error.retryAfterSeconds ?? Number.POSITIVE_INFINITY) <= 60) {
        return { title: 'Too many lookups in a short time', text: again.trim() };
      }
      return { title: 'You have used all your lookups for today', text: `The limit resets at 00:00 UTC.${again}` };
    case 'TOO_MANY_ATTEMPTS':
      return { title: 'Too many failed sign-in attempts', text: again.trim() || 'Wait a minute, then try again.' };
    case 'DATASET_UNAVAILABLE':
    case 'NOT_READY':
      return {
        title: 'No dataset is loaded yet',
        text: 'The first one takes about a minute to build. Email-domain checks work without it.',
      };
    case 'DNS_UNAVAILABLE':
      return { title: 'No DNS server responded', text: `Check WHENCE_DNS_SERVERS and the network.${again}` };
    case 'STORAGE_UNAVAILABLE':
      return {
        title: 'The storage is not responding',
        text: `Lookups still work; keys and accounts are unavailable until it responds.${again}`,
      };
    case 'OVERLOADED':
      return { title: 'The server is overloaded', text: again.trim() || 'Try again in a moment.' };
    case 'LAST_ADMIN':
      return { title: 'There must be at least one administrator', text: 'Make another person an administrator first.' };
    case 'NOT_FOUND':
    case 'ROUTE_NOT_FOUND':
      return { title: 'Not found', text: 'It does not exist, or you have no access to it.' };
    case 'INTERNAL':
      return { title: 'Internal server error', text: 'The server log has the cause under the request ID below.' };
    default: {
      const rule = error.details['rule'];
      return { title: sentence(error.message), text: typeof rule === 'string' ? sentence(rule) : again.trim() };
    }
  }
}

function requiredRole(details: Readonly<Record<string, unknown>>): string {
  return typeof details['required'] === 'string' ? `This requires the role ${details['required']}. ` : '';
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** For a page that threw, or whose script could not be loaded: the server may have been updated in the meantime. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const isMissingScript = error instanceof Error && /dynamically imported module|Failed to fetch/i.test(error.message);
  useEffect(() => (isMissingScript ? reloadWhenReachable() : undefined), [isMissingScript]);
  return (
    <Page name="Error" title="This page could not be displayed">
      <FailureNotice error={error} onRetry={isMissingScript ? () => window.location.reload() : reset} />
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page name="Not found" title="Page not found">
      <Notice title="The address may be mistyped, or the page has moved">
        <p>
          Use the lookup field above, or go to the <Link to="/">overview</Link>.
        </p>
      </Notice>
    </Page>
  );
}
