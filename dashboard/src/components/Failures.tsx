/** How failures are shown: as a notice on a page, or as a page of their own. */
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Failure, isFailure } from '../api/call.ts';
import { isPassing, reloadIfReachable, reloadWhenReachable } from '../api/recovery.ts';
import { capitalise } from '../format/names.ts';
import { duration } from '../format/time.ts';
import { QuietButton } from './Buttons.tsx';
import { Copyable } from './Copy.tsx';
import { Notice } from './Notice.tsx';
import { Page } from './Page.tsx';

type FailureNoticeProps = { error: unknown; onRetry?: () => void; domain?: string | undefined };

/** `domain` is what was asked about, where DNS may fail. Nothing without an error. */
export function FailureNotice({ error, onRetry, domain }: FailureNoticeProps) {
  if (error === null) return null;
  const { title, text } = explainFailure(error, domain);
  const requestId = isFailure(error) ? error.requestId : undefined;
  return (
    <Notice title={title} tone="bad">
      {text !== '' && <p>{text}</p>}
      {onRetry !== undefined && isPassing(error) && <p>This page retries automatically.</p>}
      {requestId !== undefined && (
        <p>
          Request <Copyable text={requestId} isMono />
        </p>
      )}
      {onRetry !== undefined && <QuietButton text="Try again" onClick={onRetry} />}
    </Notice>
  );
}

type Explanation = { readonly title: string; readonly text: string };

/** A failure in words: what failed, and what to do. */
export function explainFailure(error: unknown, domain = 'the domain'): Explanation {
  if (!isFailure(error)) {
    return {
      title: 'Something went wrong on this page',
      text: 'The answer of the server is not what this page expects: it may have been updated since. Reload the page.',
    };
  }
  const again =
    error.retryAfterSeconds === undefined
      ? ''
      : ` Try again in ${duration(error.retryAfterSeconds)}.`;
  if (error.code === 'DNS_UNAVAILABLE') {
    const explain = DNS_FAULTS[String(error.details['fault'])];
    const [title, text] = explain?.(domain, again) ?? [
      'No DNS server responded',
      `Check WHENCE_DNS_SERVERS and the network.${again}`,
    ];
    return { title, text };
  }
  const explanation = EXPLANATIONS[error.code];
  if (explanation !== undefined) {
    const [title, text] = explanation;
    return { title, text: typeof text === 'string' ? text : text(again) };
  }
  const { required, rule } = error.details;
  if (error.code === 'FORBIDDEN')
    return {
      title: 'Your role does not allow this',
      text: `${required === undefined ? '' : `This requires the role ${required}. `}Ask an administrator.`,
    };
  // The limit of an account per second, or of an address without one, resets within seconds.
  if (error.code === 'RATE_LIMIT_EXCEEDED')
    return (error.retryAfterSeconds ?? Number.POSITIVE_INFINITY) <= 60
      ? { title: 'Too many lookups in a short time', text: again.trim() }
      : {
          title: 'You have used all your lookups for today',
          text: `The limit resets at 00:00 UTC.${again}`,
        };
  return {
    title: capitalise(error.message),
    text: typeof rule === 'string' ? capitalise(rule) : again.trim(),
  };
}

const NO_DATASET = [
  'No dataset is loaded yet',
  'The first one takes about a minute to build. Email-domain checks work without it.',
] as const;
const NOT_FOUND = ['Not found', 'It does not exist, or you have no access to it.'] as const;

/** Title and text by code; `again` is when the server wants to be asked again, or empty. */
const EXPLANATIONS: Partial<
  Record<Failure['code'], readonly [title: string, text: string | ((again: string) => string)]>
> = {
  OFFLINE: [
    'The server cannot be reached',
    'Check your connection, and that the server is running.',
  ],
  CROSS_SITE: [
    'The server rejected the request as cross-site',
    'Reload the page. If there is a proxy, check that it forwards the Host and Origin headers.',
  ],
  TOO_MANY_ATTEMPTS: [
    'Too many failed sign-in attempts',
    (again) => again.trim() || 'Wait a minute, then try again.',
  ],
  DATASET_UNAVAILABLE: NO_DATASET,
  NOT_READY: NO_DATASET,
  STORAGE_UNAVAILABLE: [
    'The storage is not responding',
    (again) => `Lookups still work; keys and accounts are unavailable until it responds.${again}`,
  ],
  OVERLOADED: ['The server is overloaded', (again) => again.trim() || 'Try again in a moment.'],
  LAST_ADMIN: [
    'There must be at least one administrator',
    'Make another person an administrator first.',
  ],
  NOT_FOUND,
  ROUTE_NOT_FOUND: NOT_FOUND,
  INVALID_RESPONSE: [
    'The answer cannot be read',
    'Something between this page and the server, such as a proxy, has replaced it.',
  ],
  INTERNAL: ['Internal server error', 'The server log has the cause under the request ID below.'],
};

/** By the fault, for a domain: what fails is the domain's unless other names fail too. */
const DNS_FAULTS: Readonly<
  Record<string, (domain: string, again: string) => readonly [title: string, text: string]>
> = {
  signatures: (domain) => [
    `The name servers of ${domain} fail: SERVFAIL, because its DNSSEC signatures do not validate`,
    'Mail servers that validate cannot read its records either. Its owner has to renew or remove the signatures.',
  ],
  servers: (domain) => [
    `The name servers of ${domain} fail: SERVFAIL, often DNSSEC`,
    'Other names are answered, so this is a problem of the domain, which its owner has to solve.',
  ],
  resolver: (domain, again) => [
    'DNS fails for other names too: SERVFAIL',
    `This is not about ${domain}. Check the servers in WHENCE_DNS_SERVERS and their network.${again}`,
  ],
  refused: () => [
    'The DNS server refuses requests of this server: REFUSED',
    'Allow this machine to ask it, or set other servers in WHENCE_DNS_SERVERS.',
  ],
};

/**
 * For a page that threw, or whose script could not be loaded: the server may have been updated in
 * the meantime.
 */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const isMissingScript =
    isFailure(error, 'OFFLINE') || /dynamically imported module/i.test(String(error));
  useEffect(() => (isMissingScript ? reloadWhenReachable() : undefined), [isMissingScript]);
  return (
    <Page name="Error" title="This page could not be displayed">
      <FailureNotice error={error} onRetry={isMissingScript ? reloadIfReachable : reset} />
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page name="Not found" title="Page not found">
      <Notice title="The address may be mistyped, or the page has moved">
        <p>
          Use the lookup field above, or go to the <Link to="/">home page</Link>.
        </p>
      </Notice>
    </Page>
  );
}
