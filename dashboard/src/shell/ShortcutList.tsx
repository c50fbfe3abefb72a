import { Dialog } from '../components/Dialog.tsx';
import { Facts } from '../components/Facts.tsx';

/** The keys that work on every page, shown by `?`. */
const SHORTCUTS = {
  '/ or Ctrl K': 'Look something up, go to a page, or do something',
  '↑ ↓ Enter': 'Choose a suggestion',
  c: 'Copy the value that has the focus',
  Escape: 'Close what is open',
  '?': 'This list',
};

export function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <Facts facts={SHORTCUTS} />
    </Dialog>
  );
}
