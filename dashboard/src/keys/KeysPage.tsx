import { Checkbox, NativeSelect } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Input } from '@whence/server/dashboard-wire/contract';
import {
  KEY_STATES,
  type KeySort,
  type KeyState,
  type Permission,
  type Tier,
} from '@whence/server/vocabulary';
import { lazy, Suspense, useState } from 'react';
import { useAnswer } from '../api/query-client.ts';
import { useLeakedKey } from '../api/use-leaked-key.ts';
import { QuietButton, TextButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { FilterBar } from '../components/FilterBar.tsx';
import { KeyLink } from '../components/Links.tsx';
import { LoadedLead } from '../components/Loaded.tsx';
import { Empty, Notice } from '../components/Notice.tsx';
import { KEYS_TABS } from '../components/navigation-items.ts';
import { Page, Verdict } from '../components/Page.tsx';
import { LinkTabs } from '../components/PageTabs.tsx';
import { capitalise, PERMISSION_WORDS } from '../format/names.ts';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { useRole, useSignedIn } from '../session/use-session.ts';
import { EditKeyDrawer } from './EditKeyDrawer.tsx';
import type { KeyAction } from './KeyMenu.tsx';
import { limitWords } from './KeyState.tsx';
import classes from './KeysPage.module.css';
import { KeyTable } from './KeyTable.tsx';
import { useKeyActions } from './use-key-actions.tsx';

// Loaded when it is opened.
const CreateKeyDialog = lazy(async () => ({
  default: (await import('./CreateKeyDialog.tsx')).CreateKeyDialog,
}));

const route = getRouteApi('/session/keys');
const TYPING_MS = 150;
const DESCENDING_FIRST: readonly KeySort[] = ['created_at', 'last_used_at', 'requests_today'];

export function KeysPage() {
  const { isAtLeast } = useRole();
  const { tiers, permissions } = useSignedIn();
  const { create, edit, revoked, ...filter } = route.useSearch();
  const { act, dialog, failure } = useKeyActions();
  const navigate = useNavigate({ from: '/keys' });
  const [text, setText] = useState(filter.q ?? '');
  const change = (next: Partial<typeof filter> & { revoked?: 'yes' | undefined }) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...next }), ...IN_PLACE });
  // A whole key is not searched for by its text, which would be in the address bar.
  const { leaked, look } = useLeakedKey((id) => {
    void navigate({ to: '/keys/$id', params: { id }, search: { pasted: 'yes' } });
  });
  const search = useDebouncedCallback((q: string) => change({ q: q.trim() }), TYPING_MS);
  const sort = (by: KeySort) => {
    const isSame = (filter.sort ?? 'created_at') === by;
    const first = DESCENDING_FIRST.includes(by) ? 'desc' : 'asc';
    const opposite = filter.order === 'asc' ? 'desc' : 'asc';
    change({ sort: by, order: isSame ? opposite : first });
  };
  const open = () => void navigate({ search: (before) => ({ ...before, create: 'yes' as const }) });
  const close = () =>
    void navigate({ search: ({ create: _, edit: __, ...before }) => before, replace: true });
  const showAll = () => {
    // Otherwise a pending search would bring the old text back.
    search.cancel();
    setText('');
    void navigate({ search: {}, replace: true });
  };
  // In the address, so that an edited key can be linked to.
  const onAction = (action: KeyAction, key: Parameters<typeof act>[1]) =>
    action === 'edit'
      ? void navigate({ search: (before) => ({ ...before, edit: key.id }), ...IN_PLACE })
      : act(action, key);
  const query: Input<'listKeys'>['query'] =
    filter.state !== undefined || revoked === 'yes'
      ? filter
      : { ...filter, status: 'active' as const };
  if (!isAtLeast('member')) {
    return (
      <Page name="Keys" title="Keys">
        <LinkTabs tabs={KEYS_TABS} />
        <Notice title="Your role is viewer, which cannot have API keys">
          <p>Ask an administrator for the member role.</p>
        </Notice>
      </Page>
    );
  }
  const isFiltered = ['q', 'state', 'tier', 'permission'].some((name) => name in filter);
  return (
    <Page
      name="Keys"
      title="Keys"
      lead={<KeysLead />}
      actions={<TextButton icon="plus" text="Create key" onClick={open} />}
    >
      <div className={classes['body']}>
        <LinkTabs tabs={KEYS_TABS} />
        <FilterBar
          label="Search keys"
          placeholder="Beginning of a name, key or owner"
          value={text}
          onChange={(event) => {
            const { value } = event.currentTarget;
            const secret = look(value);
            setText(secret?.masked ?? value);
            if (secret === undefined) search(value);
            else search.cancel();
          }}
        >
          <NativeSelect
            aria-label="State"
            value={filter.state ?? ''}
            data={[
              { value: '', label: 'Any state' },
              ...KEY_STATES.map((value) => ({ value, label: capitalise(value) })),
            ]}
            onChange={(event) =>
              change({ state: (event.currentTarget.value || undefined) as KeyState | undefined })
            }
          />
          <NativeSelect
            aria-label="Tier"
            value={filter.tier ?? ''}
            data={[
              { value: '', label: 'Any tier' },
              ...tiers.map(({ tier }) => ({ value: tier, label: capitalise(tier) })),
            ]}
            onChange={(event) =>
              change({ tier: (event.currentTarget.value || undefined) as Tier | undefined })
            }
          />
          <NativeSelect
            aria-label="Permission"
            value={filter.permission ?? ''}
            data={[
              { value: '', label: 'Any permission' },
              ...permissions.map((value) => ({ value, label: PERMISSION_WORDS[value].name })),
            ]}
            onChange={(event) =>
              change({
                permission: (event.currentTarget.value || undefined) as Permission | undefined,
              })
            }
          />
          {filter.state === undefined && (
            <Checkbox
              className={classes['toggle'] ?? ''}
              label="Show revoked"
              checked={revoked === 'yes'}
              onChange={(event) =>
                change({ revoked: event.currentTarget.checked ? 'yes' : undefined })
              }
            />
          )}
        </FilterBar>
        {leaked?.problem !== undefined && <Notice tone="warn" title={leaked.problem} />}
        {failure !== null && <FailureNotice error={failure} />}
        <KeyTable
          // What was selected in another list is not changed in this one.
          key={JSON.stringify(query)}
          filter={query}
          onSort={sort}
          onAction={onAction}
          empty={
            isFiltered ? (
              <Empty title="No key matches">
                <QuietButton text="Show all keys" onClick={showAll} />
              </Empty>
            ) : (
              <Empty title={revoked === 'yes' ? 'No API keys yet' : 'No API keys in use'}>
                <p>
                  A program sends its key in the X-API-Key header. Create one key per program, so
                  that each can be revoked separately.
                </p>
                <TextButton text="Create key" onClick={open} />
              </Empty>
            )
          }
        />
      </div>
      {create === 'yes' && (
        <Suspense>
          <CreateKeyDialog permission={filter.permission} onClose={close} />
        </Suspense>
      )}
      {edit !== undefined && <LinkedKey id={edit} onClose={close} />}
      {dialog}
    </Page>
  );
}

function KeysLead() {
  const { isAtLeast } = useRole();
  const overview = useAnswer('getOverview', {});
  return (
    <>
      {isAtLeast('admin') ? 'All keys on this server.' : 'Your keys.'}
      <LoadedLead query={overview}>
        {({
          data: {
            keys_near_limit: [fullest],
            limits,
          },
        }) =>
          fullest === undefined ? (
            <Verdict text="No key is near its limit today." />
          ) : (
            <Verdict
              tone="warn"
              text={
                <>
                  {limitWords(limits).join('; ')}. Start with{' '}
                  <KeyLink id={fullest.id} name={fullest.name} />.
                </>
              }
            />
          )
        }
      </LoadedLead>
    </>
  );
}

/** The drawer of a key that the address names. */
function LinkedKey({ id, onClose }: { id: string; onClose: () => void }) {
  const detail = useAnswer('getKey', { params: { id } });
  const key = detail.data?.data.key;
  if (detail.error !== null) return <FailureNotice error={detail.error} />;
  return key?.status === 'active' ? (
    <EditKeyDrawer key={id} summary={key} onClose={onClose} />
  ) : null;
}
