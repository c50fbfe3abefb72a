import type { Evidence, Threat } from '@whence/client/wire';
import { Level } from '../parts/Level.tsx';
import classes from './ThreatBar.module.css';

const TICKS = [25, 50, 75];

/** The score as a bar of 100, a segment per contribution. Evidence and explanation list them in the same order. */
type ThreatBarProps = { threat: Threat; evidence: readonly Evidence[]; hasBlocklists: boolean };

export function ThreatBar({ threat, evidence, hasBlocklists }: ThreatBarProps) {
  const points = evidence.filter(({ field }) => field === 'threat.score').map(({ value }) => Number(value));
  const reasons = threat.explanation ?? [];
  const isPaired = points.length === reasons.length;
  const segments = isPaired && points.length > 0 ? points : [threat.score];
  const sum = segments.reduce((total, value) => total + value, 0);
  // Contributions may add up to more than the score, which ends at 100.
  const scale = sum > threat.score && sum > 0 ? threat.score / sum : 1;
  return (
    <div className={classes['threat']}>
      <div className={classes['head']}>
        <span className={classes['score']}>{threat.score}</span>
        <span className="quiet">of 100</span>
        <Level level={threat.level} />
      </div>
      <div className={classes['frame']} aria-hidden>
        <div className={classes['bar']} data-level={threat.level}>
          {segments.map((value, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: contributions have no name of their own.
            <div key={index} className={classes['segment']} style={{ width: `${value * scale}%` }} />
          ))}
        </div>
        {TICKS.map((tick) => (
          <div key={tick} className={classes['tick']} style={{ left: `${tick}%` }}>
            <span>{tick}</span>
          </div>
        ))}
      </div>
      {reasons.length === 0 ? (
        <p className="quiet">
          {hasBlocklists
            ? 'No source of this dataset reports the address.'
            : 'This dataset has no blocklists: a low score does not mean that the address was not reported.'}
        </p>
      ) : (
        <ul className={classes['reasons']}>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
