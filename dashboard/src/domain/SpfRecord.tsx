import { CopyButton } from '../copy/CopyButton.tsx';
import { Findings } from './Findings.tsx';
import classes from './SpfRecord.module.css';
import { markTerms, splitError } from './spf-terms.ts';

/** The record with its terms marked up, and each error under its term. */
export function SpfRecord({ raw, errors }: { raw: string; errors: readonly string[] }) {
  const { terms, others } = markTerms(raw, errors);
  return (
    <>
      {raw !== '' && (
        <div className={classes['record']}>
          {terms.map(({ text, kind, errors: own }, index) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a term may occur twice, and terms do not move.
              key={index}
              className={own.length === 0 ? classes['term'] : `${classes['term']} ${classes['bad']}`}
            >
              <span className={classes['text']} data-kind={kind}>
                {text}
              </span>
              {own.map((error) => (
                <span key={error} className={classes['error']}>
                  {splitError(error).text}
                </span>
              ))}
            </span>
          ))}
          <span className={classes['copy']}>
            <CopyButton text={raw} label="Copy SPF record" />
          </span>
        </div>
      )}
      <Findings errors={others} />
    </>
  );
}
