import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import type { DkimReport } from '@whence/client/wire';
import { CodeBox } from '../copy/CodeBox.tsx';
import { Tag } from '../parts/Tag.tsx';
import classes from './DkimKeys.module.css';
import { Findings } from './Findings.tsx';

export function DkimKeys({ keys }: { keys: readonly DkimReport[] }) {
  return (
    <ul className={classes['list']}>
      {keys.map(({ selector, found, raw, key_type, key_bits, is_valid, validation_errors }) => (
        <li key={selector} className={classes['key']}>
          <div className={classes['head']}>
            <span className={classes['selector']}>{selector}</span>
            {!found ? (
              <Tag icon={IconCircleDashed} tone="warn">
                not found
              </Tag>
            ) : is_valid ? (
              <Tag icon={IconCircleCheck} tone="good">
                valid
              </Tag>
            ) : (
              <Tag icon={IconAlertTriangle} tone="bad">
                has errors
              </Tag>
            )}
            {key_type !== '' && <span className="quiet">{keyWords(key_type, key_bits)}</span>}
          </div>
          <Findings errors={validation_errors} />
          {raw !== '' && (
            <details className={classes['raw']}>
              <summary>Record</summary>
              <CodeBox text={raw} label={`DKIM record of ${selector}`} />
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
