import { Button } from '@mantine/core';
import { isFailure } from '../api/failure.ts';
import { Copyable } from '../copy/Copyable.tsx';
import { explainFailure } from './explain-failure.ts';
import { Notice } from './Notice.tsx';

export function FailureNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, text } = explainFailure(error);
  const requestId = isFailure(error) ? error.requestId : undefined;
  return (
    <Notice title={title} tone="bad">
      {text !== '' && <p>{text}</p>}
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
