/** Forms that are sent by a mutation, on a page or in a dialog. */
import type { ModalProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { isFailure } from '../api/call.ts';
import { sessionQuery } from '../api/query-client.ts';
import { QuietButton, TextButton } from './Buttons.tsx';
import { Dialog } from './Dialog.tsx';
import { FailureNotice } from './Failures.tsx';
import classes from './Form.module.css';
import { Notice } from './Notice.tsx';

type Sending = {
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly mutate: () => void;
};

/** `error` replaces the failure of the mutation where a field shows it. */
type FormProps = { mutation: Sending; error?: Error | null; children: ReactNode };

export function Form({ mutation, error = mutation.error, children }: FormProps) {
  useResumedSending(mutation);
  const form = useFocusAfterRefusal(mutation);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutation.mutate();
  };
  return (
    <form ref={form} className={classes['form']} onSubmit={submit}>
      <FailureNotice error={error} />
      {children}
    </form>
  );
}

/**
 * A button that is being sent loses the focus: afterwards the field that was refused has it, or the
 * button again.
 */
function useFocusAfterRefusal({ error }: Sending) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error === null || isFailure(error, 'SIGNED_OUT')) return;
    const [field] = form.current?.querySelectorAll<HTMLElement>('[aria-invalid=true]') ?? [];
    (field ?? form.current?.querySelector<HTMLElement>('[type=submit]'))?.focus();
  }, [error]);
  return form;
}

/**
 * What was refused because the session had ended is sent once more after the person has signed in
 * again.
 */
export function useResumedSending({ error, mutate }: Pick<Sending, 'error' | 'mutate'>): void {
  const { data: session } = useQuery(sessionQuery);
  const isRefused = isFailure(error, 'SIGNED_OUT');
  const isSignedIn = session?.state === 'signed_in';
  const wasSignedOut = useRef(false);
  useEffect(() => {
    if (isRefused && isSignedIn && wasSignedOut.current) mutate();
    wasSignedOut.current = isRefused && !isSignedIn;
  }, [isRefused, isSignedIn, mutate]);
}

/**
 * Closing a form with changes, by Escape for example, asks first. `question` belongs above its
 * buttons.
 */
export function useDiscard(
  isChanged: boolean,
  onClose: () => void,
): { close: () => void; question: ReactNode } {
  const [isAsking, setIsAsking] = useState(false);
  const close = () => (isChanged ? setIsAsking(true) : onClose());
  const question = isChanged && isAsking && (
    <Notice tone="warn" title="Discard what you have entered?">
      <div className={classes['buttons']}>
        <QuietButton text="Keep editing" autoFocus onClick={() => setIsAsking(false)} />
        <TextButton size="xs" data-danger text="Discard" onClick={onClose} />
      </div>
    </Notice>
  );
  return { close, question };
}

type FormButtonsProps = {
  mutation: Sending;
  /** Shown above the buttons. */
  question?: ReactNode;
  /** What submitting does. */
  action: string;
  onCancel: () => void;
  isDisabled?: boolean;
  isDanger?: boolean;
  /** For a form that may be longer than the screen. */
  isSticky?: boolean;
  /** The action has the focus when a dialog opens. */
  isFocused?: boolean;
};

export function FormButtons({ mutation, action, onCancel, question, ...is }: FormButtonsProps) {
  return (
    <div className={classes['buttons']} data-sticky={is.isSticky}>
      {question}
      <QuietButton size="sm" text="Cancel" onClick={onCancel} />
      <TextButton
        type="submit"
        text={action}
        loading={mutation.isPending}
        disabled={is.isDisabled ?? false}
        data-danger={is.isDanger}
        data-autofocus={is.isFocused}
      />
    </div>
  );
}

/** What a dialog says that is no form, above its buttons. */
export function DialogBody({ buttons, children }: { buttons: ReactNode; children: ReactNode }) {
  return (
    <div className={classes['form']}>
      {children}
      <div className={classes['buttons']}>{buttons}</div>
    </div>
  );
}

type FormDialogProps = Omit<FormButtonsProps, 'onCancel'> &
  Pick<ModalProps, 'title' | 'size' | 'onClose' | 'children'>;

export function FormDialog({ title, size, onClose, children, ...buttons }: FormDialogProps) {
  return (
    <Dialog title={title} size={size} onClose={onClose}>
      <Form mutation={buttons.mutation}>
        {children}
        <FormButtons {...buttons} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
