import classes from './CodeBox.module.css';
import { CopyButton } from './CopyButton.tsx';

/** A record, a command or an answer, alone in its box, with a button that copies exactly it. */
export function CodeBox({ text, label, onCopied }: { text: string; label: string; onCopied?: () => void }) {
  return (
    <div className={classes['box']}>
      <pre role="group" className={classes['code']} tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <div className={classes['copy']}>
        <CopyButton text={text} label={`Copy ${label}`} {...(onCopied === undefined ? {} : { onCopied })} />
      </div>
    </div>
  );
}
