import { FileButton, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { AddedDomains } from '@whence/server/dashboard-wire/domains';
import { useMemo, useState } from 'react';
import { call } from '../api/query-client.ts';
import { DomainScanner, MAX_DOMAINS } from '../batch/domain-scanner.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { FormDialog } from '../components/Form.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { count, formatNumber } from '../format/number.ts';
import { parseTags, refreshWatched } from '../watch/watched-state.ts';
import classes from './AddDomainsDialog.module.css';

/** A list of 10,000 domains has less. */
const MAX_FILE_BYTES = 1_000_000;

type AddDomainsProps = {
  /** Text with domains to begin with. */
  initial: string;
  onAdded: (added: AddedDomains) => void;
  onClose: () => void;
};

export function AddDomainsDialog({ initial, onAdded, onClose }: AddDomainsProps) {
  const [text, setText] = useState(initial);
  const [tags, setTags] = useState('');
  const [fileProblem, setFileProblem] = useState('');
  const { domains, beyondLimit } = useMemo(() => scan(text), [text]);
  const add = useMutation({
    mutationFn: () => call('watchDomains', { body: { domains, tags: parseTags(tags) } }),
    onSuccess: async ({ data }) => {
      await refreshWatched();
      announce(`${count(data.added.length, 'domain')} added`);
      onAdded(data);
      onClose();
    },
  });
  const read = async (file: File | null) => {
    if (file === null) return;
    const isTooLarge = file.size > MAX_FILE_BYTES;
    setFileProblem(isTooLarge ? `${file.name} has more than 1 MB: it is no list of domains.` : '');
    if (!isTooLarge) setText(await file.text());
  };
  return (
    <FormDialog
      title="Watch domains"
      size="lg"
      mutation={add}
      action={domains.length === 0 ? 'Watch' : `Watch ${count(domains.length, 'domain')}`}
      isDisabled={domains.length === 0}
      onClose={onClose}
    >
      <Textarea
        label="Domains"
        description="Paste a list, CSV, email addresses or URLs: the domains in it are found."
        autosize
        minRows={6}
        maxRows={14}
        data-autofocus
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div className={classes['found']}>
        <p role="status">
          {foundWords(domains.length, beyondLimit)}
          {fileProblem}
        </p>
        <FileButton accept="text/*,.csv,.txt" onChange={(file) => void read(file)}>
          {(props) => <QuietButton {...props} icon="file-upload" text="From a file" />}
        </FileButton>
      </div>
      <TextInput
        label="Tags (optional)"
        description="To filter the list and to send alerts to a channel, such as “customers”."
        autoComplete="off"
        value={tags}
        onChange={({ currentTarget }) => setTags(currentTarget.value)}
      />
    </FormDialog>
  );
}

function scan(text: string): { domains: string[]; beyondLimit: number } {
  const scanner = new DomainScanner();
  scanner.push(text);
  scanner.finish();
  const { beyondLimit } = scanner.counts;
  return { domains: scanner.found.map(([domain]) => domain), beyondLimit };
}

function foundWords(found: number, beyondLimit: number): string {
  if (beyondLimit > 0)
    return `The first ${formatNumber(MAX_DOMAINS)} domains: add the others afterwards. `;
  return found === 0 ? '' : `${count(found, 'domain')} found. `;
}
