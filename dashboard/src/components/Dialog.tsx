import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';

/** A dialog that is open while it is rendered. Afterwards the focus returns to where it was, or to the page heading. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const target = before?.isConnected && before !== document.body ? before : document.querySelector('h1');
      // After the dialog has been removed: until then it traps the focus.
      requestAnimationFrame(() => (target instanceof HTMLElement ? target.focus() : undefined));
    },
    [before],
  );
  return <Modal opened returnFocus={false} {...props} />;
}
