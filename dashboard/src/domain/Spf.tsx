/** The SPF record, and the tree of records that it includes. */

import { MAX_LOOKUPS } from '@whence/email/report';
import type { SpfTreeNode } from '@whence/server/dashboard-wire/domains';
import { useState } from 'react';
import { CopyButton } from '../components/Copy.tsx';
import { Icon } from '../components/icons.tsx';
import { count } from '../format/number.ts';
import { Findings } from './CheckSection.tsx';
import classes from './Spf.module.css';
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
              className={
                own.length === 0 ? classes['term'] : `${classes['term']} ${classes['bad']}`
              }
            >
              <span
                className={classes['text']}
                data-kind={kind}
                title={
                  kind === 'neutral' ? 'Says nothing about servers that are not listed' : undefined
                }
              >
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

const OPEN_DEPTH = 2;

/**
 * The records that the SPF record includes, as a collapsible tree with the lookups that each of
 * them needs.
 */
export function SpfTree({ root }: { root: SpfTreeNode }) {
  return (
    <ul className={classes['tree']}>
      <TreeNode node={root} depth={0} />
    </ul>
  );
}

function TreeNode({ node, depth }: { node: SpfTreeNode; depth: number }) {
  const [isOpen, setIsOpen] = useState(depth < OPEN_DEPTH);
  const { name, via, raw, lookups, errors, children } = node;
  const hasMore = children.length > 0 || raw !== '';
  return (
    <li className={classes['node']}>
      <div className={classes['line']}>
        {hasMore ? (
          <button
            type="button"
            className={classes['toggle']}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Collapse' : 'Expand'} ${name}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name="chevron-right" size={15} />
          </button>
        ) : (
          <span className={classes['leaf']} />
        )}
        <span className={classes['name']}>{via === '' ? name : via}</span>
        <LookupCount lookups={lookups} isRoot={depth === 0} />
      </div>
      {errors.length > 0 && (
        <div className={classes['errors']}>
          <Findings errors={errors} />
        </div>
      )}
      {isOpen && hasMore && (
        <>
          {depth > 0 && raw !== '' && <div className={classes['raw']}>{raw}</div>}
          {children.length > 0 && (
            <ul className={classes['children']}>
              {children.map((child, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a term may occur twice, and terms do not move.
                <TreeNode key={`${child.via} ${index}`} node={child} depth={depth + 1} />
              ))}
            </ul>
          )}
        </>
      )}
    </li>
  );
}

function LookupCount({ lookups, isRoot }: { lookups: number; isRoot: boolean }) {
  if (!isRoot) return <span className={classes['lookups']}>{count(lookups, 'lookup')}</span>;
  const isOver = lookups > MAX_LOOKUPS;
  return (
    <span className={isOver ? `${classes['lookups']} ${classes['over']}` : classes['lookups']}>
      {lookups} of {MAX_LOOKUPS} lookups{isOver ? ': too many' : ''}
    </span>
  );
}
