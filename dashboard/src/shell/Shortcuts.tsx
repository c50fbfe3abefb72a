/** The keys that work on every page, shown by `?`. */
import { useHotkeys } from '@mantine/hooks';
import { useState } from 'react';
import { Dialog } from '../components/Dialog.tsx';
import { Facts } from '../components/Facts.tsx';

const SHORTCUTS = {
  '/ or Ctrl K': 'Look something up, go to a page, or do something',
  '↑ ↓ Enter': 'Choose a suggestion',
  c: 'Copy the value that has the focus',
  Escape: 'Close what is open',
  '?': 'This list',
};

export function Shortcuts() {
  const [isOpen, setIsOpen] = useState(false);
  const open = () => setIsOpen(true);
  useHotkeys([
    ['?', open],
    ['shift+?', open],
  ]);
  if (!isOpen) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setIsOpen(false)}>
      <Facts facts={SHORTCUTS} />
    </Dialog>
  );
}
