/** DKIM keys, and the selectors to look for. */
import { TextInput } from '@mantine/core';
import type { DkimReport } from '@whence/client/wire';
import { useState } from 'react';
import { QuietButton } from '../components/Buttons.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { Tag } from '../components/Tag.tsx';
import { Findings } from './CheckSection.tsx';
import classes from './Dkim.module.css';

function KeyTag({ isFound, isValid }: { isFound: boolean; isValid: boolean }) {
  if (!isFound) return <Tag icon="circle-dashed" tone="warn" text="not found" />;
  if (isValid) return <Tag icon="circle-check" tone="good" text="valid" />;
  return <Tag icon="alert-triangle" tone="bad" text="has errors" />;
}

export function DkimKeys({ keys }: { keys: readonly DkimReport[] }) {
  return (
    <ul className={classes['list']}>
      {keys.map(({ selector, found, raw, key_type, key_bits, is_valid, validation_errors }) => (
        <li key={selector} className={classes['key']}>
          <div className={classes['head']}>
            <span className={classes['selector']}>{selector}</span>
            <KeyTag isFound={found} isValid={is_valid} />
            {key_type !== '' && <span className="quiet">{keyWords(key_type, key_bits)}</span>}
          </div>
          <Findings errors={validation_errors} />
          {raw !== '' && (
            <details className={classes['raw']}>
              <summary>Record</summary>
              <CodeBlock text={raw} label={`DKIM record of ${selector}`} />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

function keyWords(type: 'rsa' | 'ed25519', bits: number): string {
  if (type === 'ed25519') return 'Ed25519';
  return bits === 0 ? 'RSA' : `RSA, ${bits} bits`;
}

/** DKIM selectors cannot be listed from DNS: the common ones are tried, others must be named. */
export function Selectors({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  return (
    <form
      className={`${classes['form']} no-print`}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim());
      }}
    >
      <TextInput
        label="Selectors"
        description="DNS cannot list them. Leave empty to try the common ones; separate several with commas."
        placeholder="s1, s2"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <QuietButton type="submit" size="sm" text="Check selectors" />
    </form>
  );
}
