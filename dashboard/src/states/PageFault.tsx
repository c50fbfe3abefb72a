import type { ErrorComponentProps } from '@tanstack/react-router';
import { Page } from '../parts/Page.tsx';
import { FailureNotice } from './FailureNotice.tsx';

/** A page that threw, or whose script could not be loaded: the server may have been updated meanwhile. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const isMissingScript = error instanceof Error && /dynamically imported module|Failed to fetch/i.test(error.message);
  return (
    <Page name="Error" title="This page could not be shown">
      <FailureNotice error={error} onRetry={isMissingScript ? () => window.location.reload() : reset} />
    </Page>
  );
}
