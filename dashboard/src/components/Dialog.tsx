/** Dialogs and drawers that are open while they are rendered. */
import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';

export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useFocusReturn();
  return <Modal opened returnFocus={false} {...props} />;
}

/** At the side of the page, which stays visible: for forms about something on it. */
export function SideDrawer(props: Omit<DrawerProps, 'opened'>) {
  useFocusReturn();
  return (
    <Drawer
      opened
      returnFocus={false}
      position="right"
      // As for dialogs in `main.tsx`; in the theme it would be loaded with the first page.
      lockScroll={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 100 }}
      overlayProps={{ backgroundOpacity: 0.45 }}
      {...props}
    />
  );
}

/** Afterwards the focus returns to where it was, or to the page heading. */
function useFocusReturn(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const target =
        before?.isConnected && before !== document.body ? before : document.querySelector('h1');
      // After the dialog has been removed: until then it traps the focus.
      requestAnimationFrame(() => (target instanceof HTMLElement ? target.focus() : undefined));
    },
    [before],
  );
}
