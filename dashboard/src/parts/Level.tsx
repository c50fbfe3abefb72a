import type { ThreatLevel } from '@whence/client/wire';
import type { ReactNode } from 'react';
import classes from './Level.module.css';

// A ring, a half disc, a triangle, an octagon: told apart without colour.
const SHAPES: Record<ThreatLevel, ReactNode> = {
  low: <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  medium: (
    <>
      <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M6 1.75a4.25 4.25 0 0 1 0 8.5z" fill="currentColor" />
    </>
  ),
  high: <path d="M6 1l5.4 9.8H.6z" fill="currentColor" />,
  critical: <path d="M3.7.5h4.6l3.2 3.2v4.6l-3.2 3.2H3.7L.5 8.3V3.7z" fill="currentColor" />,
};

/** Shape, word and colour; with the score where it is known. */
export function Level({ level, score }: { level: ThreatLevel; score?: number }) {
  return (
    <span className={classes['level']} data-level={level}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {SHAPES[level]}
      </svg>
      {level}
      {score !== undefined && <span className="quiet">{score}</span>}
    </span>
  );
}
