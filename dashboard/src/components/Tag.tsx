/** Short labels: tags, RPKI states and threat levels. */

import type { ThreatLevel } from '@whence/client/wire';
import type { RpkiState } from '@whence/server/dashboard-wire/lookups';
import type { ReactNode } from 'react';
import { RPKI_WORDS } from '../format/names.ts';
import { Icon, type IconName } from './icons.tsx';
import classes from './Tag.module.css';

type TagTone = 'plain' | 'good' | 'warn' | 'bad' | 'accent';

type TagProps = { icon?: IconName; tone?: TagTone; text: string };

/** An icon and a word. The colour carries no information of its own. */
export function Tag({ icon, tone = 'plain', text }: TagProps) {
  return (
    <span className={classes['tag']} data-tone={tone}>
      {icon !== undefined && <Icon name={icon} size={14} stroke={1.8} />}
      {text}
    </span>
  );
}

export function Tags({ children }: { children: ReactNode }) {
  return <div className={classes['tags']}>{children}</div>;
}

const RPKI_LOOKS = {
  valid: { icon: 'check', tone: 'good' },
  invalid: { icon: 'alert-triangle', tone: 'bad' },
  not_found: { icon: 'minus', tone: 'plain' },
} as const;

/** Whether ROAs authorise a network to announce a prefix (RFC 6811). */
export function RpkiTag({ state }: { state: RpkiState }) {
  return <Tag {...RPKI_LOOKS[state]} text={RPKI_WORDS[state]} />;
}

// A question mark, a ring, a half disc, a triangle and an octagon, which differ without colour too.
const SHAPES: Record<ThreatLevel | 'unknown', ReactNode> = {
  unknown: (
    <text x="6" y="10.5" textAnchor="middle" fontSize="12" fill="currentColor">
      ?
    </text>
  ),
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

type LevelProps = {
  level: ThreatLevel | 'unknown';
  score?: number;
  /**
   * Whether the score is complete. If not, it is the least that is known, and never low.
   */
  isKnown?: boolean;
};

/** A threat level as shape, word and colour, with the score if given. */
export function Level({ level, score, isKnown = true }: LevelProps) {
  const shown = isKnown || level !== 'low' ? level : 'unknown';
  const isFloor = !isKnown && score !== undefined && score > 0;
  return (
    <span className={classes['level']} data-level={shown}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {SHAPES[shown]}
      </svg>
      {shown !== 'unknown' && shown}
      {shown === 'unknown' && !isFloor && 'not known'}
      {isFloor && <span className="quiet">at least {score}</span>}
      {isKnown && score !== undefined && <span className="quiet">{score}</span>}
    </span>
  );
}
