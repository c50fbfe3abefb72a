import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';

/** A dialog that is open as long as it is rendered. The focus comes back to where it was, or to the page's heading. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const target = before?.isConnected && before !== document.body ? before : document.querySelector('h1');
      // After the dialog is gone from the page: until then it keeps the focus inside.
      requestAnimationFrame(() => (target instanceof HTMLElement ? target.focus() : undefined));
    },
    [before],
  );
  return <Modal opened returnFocus={false} {...props} />;
}
