import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { KeySummary, Tier } from '@whence/server/dashboard-wire';
import { type FormEvent, type ReactNode, useState } from 'react';
import { isFailure } from '../api/call.ts';
import { call } from '../api/query-client.ts';
import { SideDrawer } from '../components/Dialog.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { capitalise, PERMISSION_WORDS } from '../format/names.ts';
import { useSignedIn } from '../session/use-session.ts';
import classes from './EditKeyDrawer.module.css';
import { changeOf, effectsOf, formOf, type KeyForm } from './key-form.ts';
import { refreshKeys } from './refresh-keys.ts';

/** Edits a key. Under each changed field stands what running clients will notice. */
export function EditKeyDrawer({ summary, onClose }: { summary: KeySummary; onClose: () => void }) {
  const { tiers, permissions: all } = useSignedIn();
  const [key] = useState(summary);
  const [form, setForm] = useState<KeyForm>(() => formOf(summary));
  const change = changeOf(key, form);
  const effects = effectsOf(key, change, tiers);
  const save = useMutation({
    mutationFn: () => call('changeKey', { params: { id: key.id }, body: change }),
    onSuccess: async () => {
      announce(`The key ${key.name} was changed; every process of the server uses it like this`);
      await refreshKeys();
      onClose();
    },
  });
  const set = (part: Partial<KeyForm>) => setForm((before) => ({ ...before, ...part }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const refused = fieldOf(save.error);
  const errorAt = (path: string) => (refused?.path === path ? refused.rule : undefined);
  // A key may have a tier that this account may not give to others.
  const choices = tiers.some(({ tier }) => tier === key.tier) ? tiers.map(({ tier }) => tier) : [key.tier];
  return (
    <SideDrawer onClose={onClose} title={`Edit “${key.name}”`} size={460}>
      <form className={classes['form']} onSubmit={submit}>
        {save.error !== null && refused === undefined && <FailureNotice error={save.error} />}
        <Field effect={effects.name}>
          <TextInput
            label="Name"
            required
            withAsterisk={false}
            maxLength={100}
            data-autofocus
            value={form.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
        </Field>
        <Field effect={effects.note}>
          <Textarea
            label="Note"
            description="For people who manage keys."
            rows={2}
            maxLength={500}
            error={errorAt('/note')}
            value={form.note}
            onChange={(event) => set({ note: event.currentTarget.value })}
          />
        </Field>
        <Field effect={effects.tier}>
          <NativeSelect
            label="Tier"
            error={errorAt('/tier')}
            data={choices.map((value) => ({ value, label: capitalise(value) }))}
            value={form.tier}
            onChange={(event) => set({ tier: event.currentTarget.value as Tier })}
          />
        </Field>
        <Field effect={effects.permissions}>
          <fieldset className={classes['choices']}>
            <legend className={classes['legend']}>Permissions</legend>
            {all.map((permission) => (
              <Checkbox
                key={permission}
                label={PERMISSION_WORDS[permission].name}
                checked={form.permissions.includes(permission)}
                onChange={({ currentTarget: { checked } }) =>
                  set({
                    permissions: all.filter((one) => (one === permission ? checked : form.permissions.includes(one))),
                  })
                }
              />
            ))}
          </fieldset>
        </Field>
        <Field effect={effects.expires}>
          <TextInput
            type="datetime-local"
            label="Expires"
            description={`Time zone: ${Intl.DateTimeFormat().resolvedOptions().timeZone}. Empty: never.`}
            error={errorAt('/expires_at')}
            value={form.expires}
            onChange={(event) => set({ expires: event.currentTarget.value })}
          />
        </Field>
        <Field effect={effects.networks}>
          <Textarea
            label="Allowed client networks"
            description="Addresses or prefixes, one per line. Empty: any client."
            placeholder={'192.0.2.0/24\n2001:db8::/32'}
            rows={3}
            spellCheck={false}
            className={classes['networks'] ?? ''}
            error={errorAt('/allowed_networks')}
            value={form.networks}
            onChange={(event) => set({ networks: event.currentTarget.value })}
          />
        </Field>
        <Field effect={effects.rate}>
          <TextInput
            type="number"
            label="Requests per second"
            description="Empty: only the daily limit applies."
            min={1}
            max={100_000}
            step={1}
            error={errorAt('/requests_per_second')}
            value={form.rate}
            onChange={(event) => set({ rate: event.currentTarget.value })}
          />
        </Field>
        <div className={classes['actions']}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={save.isPending}
            disabled={Object.keys(change).length === 0 || form.name.trim() === '' || form.permissions.length === 0}
          >
            Save
          </Button>
        </div>
      </form>
    </SideDrawer>
  );
}

function Field({ effect, children }: { effect: string | undefined; children: ReactNode }) {
  return (
    <div className={classes['field']}>
      {children}
      <p className={classes['effect']} role="status">
        {effect}
      </p>
    </div>
  );
}

/** The field that the server refused, with its rule. */
function fieldOf(error: unknown): { path: string; rule: string } | undefined {
  if (!isFailure(error, 'INVALID_REQUEST')) return undefined;
  const { path, rule } = error.details ?? {};
  return typeof path === 'string' && path !== '' && typeof rule === 'string'
    ? { path, rule: capitalise(rule) }
    : undefined;
}
