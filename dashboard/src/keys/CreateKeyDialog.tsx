import { Radio, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { CreatedKey, TierInfo } from '@whence/server/dashboard-wire/keys';
import { DEFAULT_PERMISSIONS, type Permission, type Tier } from '@whence/server/vocabulary';
import { useState } from 'react';
import { call, refresh } from '../api/query-client.ts';
import { TextButton } from '../components/Buttons.tsx';
import { CopyButton } from '../components/Copy.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { Form, FormButtons, useDiscard } from '../components/Form.tsx';
import { capitalise } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import { useSignedIn } from '../session/use-session.ts';
import classes from './CreateKeyDialog.module.css';
import {
  isAttribute,
  type KeyFieldsProps,
  NoteField,
  PermissionBoxes,
  RestrictionFields,
  refusedFieldOf,
  ruleAt,
} from './KeyFields.tsx';
import { emptyForm, type KeyForm, newKeyOf } from './key-form.ts';
import { ConfirmLeave, NewSecret } from './NewSecret.tsx';

/**
 * Asks for name, permissions, tier and restrictions, then shows the key once. It cannot be closed
 * by accident.
 */
export function CreateKeyDialog({
  permission,
  onClose,
}: {
  permission: Permission | undefined;
  onClose: () => void;
}) {
  const [created, setCreated] = useState<CreatedKey>();
  if (created !== undefined) return <SecretDialog created={created} onClose={onClose} />;
  return <NewKeyDialog permission={permission} onCreated={setCreated} onClose={onClose} />;
}

type NewKeyDialogProps = {
  permission: Permission | undefined;
  onCreated: (created: CreatedKey) => void;
  onClose: () => void;
};

function NewKeyDialog({ permission, onCreated, onClose }: NewKeyDialogProps) {
  const { tiers } = useSignedIn();
  const [empty] = useState<KeyForm>(() =>
    emptyForm(
      tiers[0]?.tier ?? 'free',
      permission === undefined ? DEFAULT_PERMISSIONS : [permission],
    ),
  );
  const [form, setForm] = useState(empty);
  const { close, question } = useDiscard(JSON.stringify(form) !== JSON.stringify(empty), onClose);
  const { name, tier, permissions } = form;
  const set = (part: Partial<KeyForm>) => setForm((before) => ({ ...before, ...part }));
  const create = useMutation({
    mutationFn: () => call('createKey', { body: newKeyOf(form) }),
    onSuccess: ({ data }) => {
      void refresh('listKeys');
      onCreated(data);
    },
  });
  const refused = refusedFieldOf(create.error);
  const fields = { form, onChange: set, refused };
  return (
    <Dialog onClose={close} title="Create an API key" size="lg">
      <Form mutation={create} error={refused === undefined ? create.error : null}>
        <TextInput
          label="Name"
          description="The program that will use the key, so that you know later what a revocation affects."
          placeholder="mail gateway, production"
          required
          maxLength={100}
          data-autofocus
          error={ruleAt(refused, '/name')}
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <fieldset>
          <legend className={classes['legend']}>Permissions</legend>
          <div className={classes['choices']}>
            <PermissionBoxes {...fields} isDescribed />
          </div>
        </fieldset>
        <Radio.Group
          label="Tier"
          error={ruleAt(refused, '/tier')}
          value={tier}
          onChange={(value) => set({ tier: value as Tier })}
        >
          <div className={classes['choices']}>
            {tiers.map((info) => (
              <Radio
                key={info.tier}
                value={info.tier}
                label={capitalise(info.tier)}
                description={tierWords(info)}
              />
            ))}
          </div>
        </Radio.Group>
        <MoreFields {...fields} />
        <FormButtons
          isSticky
          mutation={create}
          action="Create key"
          isDisabled={name.trim() === '' || permissions.length === 0}
          onCancel={close}
          question={question}
        />
      </Form>
    </Dialog>
  );
}

/** What most keys do without. It unfolds if the server refused something in it. */
function MoreFields(props: KeyFieldsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const isRefused = props.refused !== undefined && isAttribute(props.refused);
  return (
    <details
      className={classes['more']}
      open={isOpen || isRefused}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>Note, expiry, client networks, limits</summary>
      <div className={classes['form']}>
        <NoteField {...props} />
        <RestrictionFields {...props} />
      </div>
    </details>
  );
}

function SecretDialog({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const [isCopied, setIsCopied] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const closeWords = isLeaving ? 'Close without copying' : 'Close';
  const leave = () => (isCopied || isLeaving ? onClose() : setIsLeaving(true));
  return (
    <Dialog
      onClose={leave}
      title={`API key “${created.key.name}”`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <div className={classes['secret']}>
        <NewSecret created={created} onCopied={() => setIsCopied(true)} />
        <ConfirmLeave isActive={!isCopied && !isLeaving} />
        {isLeaving && !isCopied && (
          <p role="alert">
            The key was not copied and cannot be shown again. Without a copy, revoke it and create a
            new one.
          </p>
        )}
        <div className={classes['actions']}>
          <TextButton
            variant={isCopied ? 'filled' : 'default'}
            text={isCopied ? 'Done' : closeWords}
            onClick={leave}
          />
          {!isCopied && (
            <CopyButton
              text={created.secret}
              label="Copy key"
              word="Copy key"
              isPrimary
              onCopied={() => setIsCopied(true)}
            />
          )}
        </div>
      </div>
    </Dialog>
  );
}

function tierWords({ requests_per_day, batch_size }: TierInfo): string {
  const requests =
    requests_per_day === null
      ? 'no daily limit'
      : `${formatNumber(requests_per_day)} requests a day`;
  return `${requests}, batches of up to ${formatNumber(batch_size)}`;
}
