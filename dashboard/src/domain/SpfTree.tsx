import { IconChevronRight } from '@tabler/icons-react';
import type { SpfTreeNode } from '@whence/server/dashboard-wire';
import { useState } from 'react';
import { count } from '../format/number.ts';
import { Findings } from './Findings.tsx';
import classes from './SpfTree.module.css';

/** RFC 7208 §4.6.4. */
const MAX_LOOKUPS = 10;
const OPEN_DEPTH = 2;

/** The records that the SPF record includes, as a tree that folds, with the look-ups each of them costs. */
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
            className={classes['fold']}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${name}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            <IconChevronRight size={15} aria-hidden />
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
