import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { KeySummary } from '@whence/server/dashboard-wire/keys';
import type { Tier } from '@whence/server/vocabulary';
import { useState } from 'react';
import { call } from '../api/query-client.ts';
import { SideDrawer } from '../components/Dialog.tsx';
import { Form, FormButtons, useDiscard } from '../components/Form.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { capitalise } from '../format/names.ts';
import { useSignedIn } from '../session/use-session.ts';
import classes from './EditKeyDrawer.module.css';
import {
  Field,
  NoteField,
  PermissionBoxes,
  RestrictionFields,
  refusedFieldOf,
  ruleAt,
} from './KeyFields.tsx';
import { changeOf, effectsOf, formOf, type KeyForm } from './key-form.ts';
import { refreshKeys } from './refresh-keys.ts';

/** Edits a key. Under each changed field stands what running clients will notice. */
export function EditKeyDrawer({ summary, onClose }: { summary: KeySummary; onClose: () => void }) {
  const { tiers } = useSignedIn();
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
  const { close, question } = useDiscard(Object.keys(change).length > 0, onClose);
  const set = (part: Partial<KeyForm>) => setForm((before) => ({ ...before, ...part }));
  const refused = refusedFieldOf(save.error);
  const fields = { form, onChange: set, refused, effects };
  // A key may have a tier that this account may not give to others.
  const choices = tiers.some(({ tier }) => tier === key.tier)
    ? tiers.map(({ tier }) => tier)
    : [key.tier];
  return (
    <SideDrawer onClose={close} title={`Edit “${key.name}”`} size={460}>
      <Form mutation={save} error={refused === undefined ? save.error : null}>
        <Field effect={effects.name}>
          <TextInput
            label="Name"
            required
            maxLength={100}
            data-autofocus
            error={ruleAt(refused, '/name')}
            value={form.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
        </Field>
        <NoteField {...fields} />
        <Field effect={effects.tier}>
          <NativeSelect
            label="Tier"
            error={ruleAt(refused, '/tier')}
            data={choices.map((value) => ({ value, label: capitalise(value) }))}
            value={form.tier}
            onChange={(event) => set({ tier: event.currentTarget.value as Tier })}
          />
        </Field>
        <Field effect={effects.permissions}>
          <fieldset className={classes['choices']}>
            <legend className={classes['legend']}>Permissions</legend>
            <PermissionBoxes {...fields} />
          </fieldset>
        </Field>
        <RestrictionFields {...fields} />
        <FormButtons
          isSticky
          mutation={save}
          action="Save"
          isDisabled={
            Object.keys(change).length === 0 ||
            form.name.trim() === '' ||
            form.permissions.length === 0
          }
          onCancel={close}
          question={question}
        />
      </Form>
    </SideDrawer>
  );
}
