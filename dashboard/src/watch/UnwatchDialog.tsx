import { useMutation } from '@tanstack/react-query';
import { FormDialog } from '../components/Form.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { count } from '../format/number.ts';
import { unicodeDomain } from '../unicode-domain.ts';
import classes from './UnwatchDialog.module.css';
import { refreshWatched, unwatch } from './watched-state.ts';

type UnwatchDialogProps = {
  domains: readonly string[];
  onDone: () => void;
  onClose: () => void;
};

export function UnwatchDialog({ domains, onDone, onClose }: UnwatchDialogProps) {
  const names = domains.map(unicodeDomain);
  const words = names.length === 1 ? (names[0] ?? '') : count(names.length, 'domain');
  const remove = useMutation({
    mutationFn: () => unwatch(domains),
    onSuccess: () => {
      announce(`${words} no longer watched`);
      onDone();
      onClose();
    },
    onSettled: refreshWatched,
  });
  return (
    <FormDialog
      title={`Stop watching ${words}`}
      mutation={remove}
      action="Stop watching"
      isDanger
      isFocused
      onClose={onClose}
    >
      {names.length > 1 && <p className={classes['names']}>{names.join(', ')}</p>}
      <p>There will be no more checks and alerts, and open events end.</p>
    </FormDialog>
  );
}
