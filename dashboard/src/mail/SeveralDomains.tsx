/** What can be done with the domains that are selected in the list. */
import { Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ShownDomain } from '@whence/server/dashboard-wire/domains';
import { useState } from 'react';
import { call } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { FormDialog } from '../components/Form.tsx';
import grid from '../components/GridTable.module.css';
import { announce } from '../components/LiveRegion.tsx';
import { count } from '../format/number.ts';
import { UnwatchDialog } from '../watch/UnwatchDialog.tsx';
import { checkNow, parseTags, refreshWatched } from '../watch/watched-state.ts';

type SeveralDomainsProps = {
  listed: readonly ShownDomain[];
  selected: ReadonlySet<string>;
  onSelect: (domains: ReadonlySet<string>) => void;
};

/** Shown in place of the number of domains while some are selected. */
export function SeveralDomains({ listed, selected, onSelect }: SeveralDomainsProps) {
  const [dialog, setDialog] = useState<'tags' | 'remove'>();
  const domains = listed.filter(({ domain }) => selected.has(domain));
  const names = domains.map(({ domain }) => domain);
  const check = useMutation({
    mutationFn: () => checkNow(names),
    onSuccess: async () => {
      await refreshWatched();
      announce(`Checking ${count(names.length, 'domain')}`);
      onSelect(new Set());
    },
  });
  const close = () => setDialog(undefined);
  return (
    <>
      <div className={grid['several']}>
        <span role="status">{count(names.length, 'domain')} selected</span>
        <QuietButton
          icon="refresh"
          text="Check now"
          loading={check.isPending}
          onClick={() => check.mutate()}
        />
        <QuietButton text="Tags…" onClick={() => setDialog('tags')} />
        <QuietButton text="Stop watching…" onClick={() => setDialog('remove')} />
        {names.length < listed.length && (
          <QuietButton
            text={`Select all ${count(listed.length, 'domain')} that are listed`}
            onClick={() => onSelect(new Set(listed.map(({ domain }) => domain)))}
          />
        )}
        <QuietButton text="Clear" onClick={() => onSelect(new Set())} />
      </div>
      <FailureNotice error={check.error} />
      {dialog === 'tags' && <TagsDialog domains={domains} onClose={close} />}
      {dialog === 'remove' && (
        <UnwatchDialog domains={names} onDone={() => onSelect(new Set())} onClose={close} />
      )}
    </>
  );
}

type TagsDialogProps = { domains: readonly ShownDomain[]; onClose: () => void };

/** Adds tags to all, and takes away those that are unchecked; others stay as they are. */
function TagsDialog({ domains, onClose }: TagsDialogProps) {
  const before = [...new Set(domains.flatMap(({ tags }) => tags))].sort();
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const [added, setAdded] = useState('');
  const change = useMutation({
    mutationFn: async () => {
      for (const { domain, tags } of domains) {
        const kept = tags.filter((tag) => !removed.has(tag));
        await call('changeWatched', {
          params: { domain },
          body: { tags: [...new Set([...kept, ...parseTags(added)])] },
        });
      }
    },
    onSuccess: async () => {
      announce('Tags changed');
      onClose();
    },
    onSettled: refreshWatched,
  });
  return (
    <FormDialog
      title={`Tags of ${count(domains.length, 'domain')}`}
      mutation={change}
      action="Change tags"
      isDisabled={removed.size === 0 && parseTags(added).length === 0}
      onClose={onClose}
    >
      {before.map((tag) => (
        <Checkbox
          key={tag}
          label={tag}
          checked={!removed.has(tag)}
          onChange={({ currentTarget: { checked } }) => {
            const others = [...removed].filter((other) => other !== tag);
            setRemoved(new Set(checked ? others : [...others, tag]));
          }}
        />
      ))}
      <TextInput
        label="Add tags"
        description="Separated by blanks."
        autoComplete="off"
        data-autofocus
        value={added}
        onChange={({ currentTarget }) => setAdded(currentTarget.value)}
      />
    </FormDialog>
  );
}
