/** Opens the editor for trying records. Its code is loaded when it is opened. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { DomainCheck } from '@whence/server/dashboard-wire/domains';
import { lazy, Suspense } from 'react';
import { sessionQuery } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { IconPencil } from '../components/icons.tsx';
import { Skeleton } from '../components/Loaded.tsx';
import { IN_PLACE } from '../search-params.ts';

const TrialEditor = lazy(async () => ({ default: (await import('./TrialEditor.tsx')).TrialEditor }));
const route = getRouteApi('/session/domain/$domain');

/** Every change of a text is a check, so it needs an account. */
function useMayTry(): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.state === 'signed_in';
}

export function TryChangeButton() {
  const { try: tried } = route.useSearch();
  const navigate = useNavigate({ from: '/domain/$domain' });
  if (!useMayTry()) return null;
  return (
    <QuietButton
      icon={IconPencil}
      text="Try a change"
      aria-expanded={tried !== undefined}
      onClick={() =>
        void navigate({
          search: ({ try: open, ...before }) => (open === undefined ? { ...before, try: {} } : before),
          ...IN_PLACE,
        })
      }
    />
  );
}

export function TryChange({ check, selectors }: { check: DomainCheck; selectors: string }) {
  const { try: tried } = route.useSearch();
  if (!useMayTry() || tried === undefined) return null;
  return (
    <Suspense fallback={<Skeleton lines={10} />}>
      <TrialEditor key={check.report.domain} check={check} selectors={selectors} tried={tried} />
    </Suspense>
  );
}
