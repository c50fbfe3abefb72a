/** The sections of an address page. */
import { Link } from '@tanstack/react-router';
import type { Evidence, FlagSubject, IpRecord, Threat } from '@whence/client/wire';
import type { DatasetLimits, IpLookup } from '@whence/server/dashboard-wire';
import { Copyable } from '../components/Copy.tsx';
import { Facts } from '../components/Facts.tsx';
import { NetworkLink, PrefixLink } from '../components/Links.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Level } from '../components/Tag.tsx';
import { countryName, SUBJECT_WORDS } from '../format/names.ts';
import { useNow } from '../format/Time.tsx';
import { relativeTime } from '../format/time.ts';
import classes from './IpSections.module.css';

const TICKS = [25, 50, 75];

type ThreatBarProps = { threat: Threat; evidence: readonly Evidence[]; hasBlocklists: boolean };

/** The score as a bar of 100, one segment per contribution. Evidence and explanation are in the same order. */
export function ThreatBar({ threat, evidence, hasBlocklists }: ThreatBarProps) {
  const points = evidence.filter(({ field }) => field === 'threat.score').map(({ value }) => Number(value));
  const reasons = threat.explanation ?? [];
  const isPaired = points.length === reasons.length;
  const segments = isPaired && points.length > 0 ? points : [threat.score];
  const sum = segments.reduce((total, value) => total + value, 0);
  // Contributions may add up to more than the score, which is capped at 100.
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
            ? 'No source in this dataset lists this address.'
            : 'This dataset has no blocklists: a low score does not mean that the address is harmless.'}
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

/** Flags that this dataset has no source for, or only an old one: their absence does not mean “no”. */
export function Unknowns({ limits: { unknown, dated } }: { limits: DatasetLimits }) {
  if (unknown.length === 0 && dated.length === 0) return null;
  const words = (subjects: readonly FlagSubject[]) => subjects.map((subject) => SUBJECT_WORDS[subject]).join(', ');
  const days = [...new Set(dated.map(({ as_of }) => as_of))].sort();
  return (
    <div className={classes['unknowns']}>
      <h3>What this dataset cannot tell</h3>
      <Facts
        facts={[
          ...(unknown.length === 0 ? [] : [{ name: 'Unknown', value: words(unknown) }]),
          ...days.map((day) => ({
            name: `As of ${day ?? 'a past date'}`,
            value: words(dated.filter(({ as_of }) => as_of === day).map(({ subject }) => subject)),
          })),
        ]}
      />
      <p className="quiet">
        For these, “no” means “unknown”. <Link to="/data">Sources of each flag</Link>
      </p>
    </div>
  );
}

export function IpFacts({ record, version }: { record: IpRecord; version: number }) {
  const { prefix, asn, asn_name, country, rir, connection_type, detection } = record;
  return (
    <Facts
      facts={[
        {
          name: 'Prefix',
          value: <PrefixLink prefix={prefix} />,
        },
        {
          name: 'Network',
          value: <NetworkLink asn={asn} name={<Copyable text={asn_name} />} />,
        },
        { name: 'Country', value: country === 'ZZ' ? 'unknown' : `${countryName(country)} (${country})` },
        { name: 'Registry', value: rir },
        { name: 'Connection', value: connection_type },
        ...(detection.cloud_provider === undefined ? [] : [{ name: 'Cloud', value: detection.cloud_provider }]),
        ...(detection.ai_company === undefined ? [] : [{ name: 'AI company', value: detection.ai_company }]),
        { name: 'Dataset', value: <Link to="/data">version {version}</Link> },
      ]}
    />
  );
}

type Row = IpLookup['evidence'][number];

export function EvidenceTable({ evidence }: { evidence: readonly Row[] }) {
  const now = useNow();
  const columns: Column<Row>[] = [
    { name: 'Field', cell: ({ field }) => <code>{field}</code> },
    { name: 'Value', cell: ({ value }) => String(value) },
    {
      name: 'Source',
      cell: ({ source, licence }) => (
        <>
          {source} <span className="quiet">{licence}</span>
        </>
      ),
    },
    {
      name: 'Prefix',
      cell: ({ prefix }) => <PrefixLink prefix={prefix} />,
    },
    {
      name: 'As of',
      cell: ({ as_of }) => (
        <span className="nowrap">
          {as_of} <span className="quiet">{relativeTime(Date.parse(as_of), now)}</span>
        </span>
      ),
    },
  ];
  return (
    <Table
      isStacked
      label="Evidence"
      columns={columns}
      rows={evidence}
      rowKey={(row, index) => `${row.field} ${index}`}
    />
  );
}
