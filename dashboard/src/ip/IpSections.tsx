/** The sections of an address page. */
import { Link } from '@tanstack/react-router';
import type {
  Evidence,
  FlagSubject,
  IpRecord,
  Location,
  Origin,
  Privacy,
  Roa,
  Threat,
} from '@whence/client/wire';
import type { DatasetLimits, IpLookup } from '@whence/server/dashboard-wire/lookups';
import type { ReactNode } from 'react';
import { Copyable } from '../components/Copy.tsx';
import { Facts } from '../components/Facts.tsx';
import { NetworkLink, PrefixLink } from '../components/Links.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Level, RpkiTag } from '../components/Tag.tsx';
import { blocklistCaveat } from '../format/blocklists.ts';
import { longDay } from '../format/data-age.ts';
import { countryName, fieldName, SUBJECT_WORDS } from '../format/names.ts';
import { Time, useNow } from '../format/Time.tsx';
import { relativeDay } from '../format/time.ts';
import {
  type JudgedRow,
  judgeEvidence,
  NAMED_FIELDS,
  type NamedField,
  namesIn,
} from './evidence-rows.ts';
import classes from './IpSections.module.css';

const TICKS = [25, 50, 75];

type ThreatBarProps = { threat: Threat; evidence: readonly Evidence[]; limits: DatasetLimits };

/**
 * The score as a bar of 100, one segment per contribution. Without one, the answer above says that
 * the threat is not known.
 */
export function ThreatBar({ threat, evidence, limits }: ThreatBarProps) {
  const now = useNow();
  const isKnown = limits.threat_gap === undefined;
  if (!isKnown && threat.score === 0) return null;
  const points = evidence
    .filter(({ field }) => field === 'threat.score')
    .map(({ value }) => Number(value));
  const segments = points.filter((value) => value > 0);
  const reasons = threat.explanation ?? [];
  const sum = segments.reduce((total, value) => total + value, 0);
  // Contributions may add up to more than the score, which is capped at 100.
  const scale = sum > threat.score && sum > 0 ? threat.score / sum : 1;
  return (
    <div className={classes['threat']}>
      <div className={classes['head']}>
        {!isKnown && <span className="quiet">at least</span>}
        <span className={classes['score']}>{threat.score}</span>
        <span className="quiet">of 100</span>
        {(isKnown || threat.level !== 'low') && <Level level={threat.level} isKnown={isKnown} />}
      </div>
      <div className={classes['frame']} aria-hidden>
        <div
          className={classes['bar']}
          data-level={isKnown || threat.level !== 'low' ? threat.level : 'unknown'}
        >
          {segments.map((value, index) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: contributions have no name of their own.
              key={index}
              className={classes['segment']}
              style={{ width: `${value * scale}%` }}
            />
          ))}
        </div>
        {TICKS.map((tick) => (
          <div key={tick} className={classes['tick']} style={{ left: `${tick}%` }}>
            <span>{tick}</span>
          </div>
        ))}
      </div>
      {reasons.length === 0 ? (
        isKnown && <p className="quiet">No source in this dataset lists this address.</p>
      ) : (
        <ul className={classes['reasons']}>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {isKnown && threat.level === 'low' && <p className="quiet">{blocklistCaveat(limits, now)}</p>}
    </div>
  );
}

/**
 * Flags that this dataset has no source for, or only an old one: their absence does not mean “no”.
 */
export function Unknowns({ limits: { unknown, dated } }: { limits: DatasetLimits }) {
  const now = useNow();
  if (unknown.length === 0 && dated.length === 0) return null;
  const words = (subjects: readonly FlagSubject[]) =>
    subjects.map((subject) => SUBJECT_WORDS[subject]).join(', ');
  const days = [...new Set(dated.map(({ as_of }) => as_of))].sort();
  return (
    <details className={classes['unknowns']}>
      <summary>
        <h2>What this dataset cannot tell</h2>
      </summary>
      <Facts
        facts={{
          Unknown: unknown.length === 0 ? undefined : words(unknown),
          ...Object.fromEntries(
            days.map((day) => [
              day === undefined ? 'From tables of this program' : `As of ${longDay(day, now)}`,
              words(dated.filter(({ as_of }) => as_of === day).map(({ subject }) => subject)),
            ]),
          ),
        }}
      />
      <p className="quiet">
        For these, “no” means “unknown”. <Link to="/data">Sources of each flag</Link>
      </p>
    </details>
  );
}

type IpFactsProps = { lookup: IpLookup; version: number; hostname: ReactNode };

/**
 * What the address is, whose and where. Names that only the evidence has follow the connection they
 * explain.
 */
export function IpFacts({
  lookup: { record, evidence, privacy, location, labels },
  version,
  hostname,
}: IpFactsProps) {
  const { prefix, asn, asn_name, country, rir, connection_type, detection } = record;
  const named = (field: NamedField) => {
    const names = namesIn(evidence, field).filter((name) => name !== privacy?.service);
    return names.length === 0 ? undefined : names.join(', ');
  };
  return (
    <Facts
      facts={{
        Network: <NetworkLink asn={asn} name={<Copyable text={asn_name} />} />,
        Country: country === 'ZZ' ? 'unknown' : `${countryName(country)} (${country})`,
        Location: location && <Place location={location} />,
        Prefix: <PrefixLink prefix={prefix} />,
        Connection: connection_type,
        'Privacy service': privacy && <PrivacyService privacy={privacy} evidence={evidence} />,
        ...Object.fromEntries(NAMED_FIELDS.map(([field, name]) => [name, named(field)])),
        Hostname: hostname,
        Cloud: detection.cloud_provider,
        'AI company': detection.ai_company,
        Registry: rir,
        Labels: labels?.join(', '),
        Dataset: <Link to="/data">version {version}</Link>,
      }}
    />
  );
}

const PRIVACY = {
  relay: { words: 'privacy relay', fields: ['relay'] },
  vpn: { words: 'VPN', fields: ['is_vpn', 'vpn_service'] },
  tor: { words: 'Tor', fields: ['is_tor_exit'] },
  proxy: { words: 'proxy', fields: ['is_proxy'] },
} as const;

/** With the source that says so, and its date. */
function PrivacyService({ privacy, evidence }: { privacy: Privacy; evidence: readonly Row[] }) {
  const { words, fields } = PRIVACY[privacy.kind];
  const row = evidence.find(({ field }) => fields.some((name) => name === field));
  return (
    <>
      {privacy.service === undefined ? words : `${privacy.service}, ${words}`}
      {row !== undefined && <SourceNote {...row} />}
    </>
  );
}

function Place({ location }: { location: Location }) {
  const { city, region, latitude, longitude } = location;
  const names = [city, region].filter((name) => name !== undefined).join(', ');
  const position =
    latitude === undefined || longitude === undefined ? '' : `${latitude}, ${longitude}`;
  return (
    <>
      {names || position}
      {names !== '' && position !== '' && <span className="quiet"> · {position}</span>}
      <SourceNote {...location} />
    </>
  );
}

function SourceNote({ source, as_of }: { source: string; as_of: string }) {
  const now = useNow();
  return (
    <span className="quiet">
      {' · '}
      {source}, {longDay(as_of.slice(0, 10), now)}
    </span>
  );
}

type Row = IpLookup['evidence'][number];

export function EvidenceTable({
  record,
  evidence,
}: {
  record: IpRecord;
  evidence: readonly Row[];
}) {
  const now = useNow();
  const columns: Column<JudgedRow<Row>>[] = [
    { name: 'Field', cell: ({ row }) => <code>{fieldName(row.field)}</code> },
    { name: 'Value', isText: true, cell: (judged) => <Value {...judged} /> },
    {
      name: 'Source',
      cell: ({ row: { source, licence } }) => (
        <span className="nowrap" title={licence}>
          {source}
        </span>
      ),
    },
    { name: 'Prefix', isWide: true, cell: ({ row }) => <PrefixLink prefix={row.prefix} /> },
    {
      name: 'As of',
      cell: ({ row: { as_of } }) => (
        <span className="nowrap" title={relativeDay(as_of, now)}>
          {as_of}
        </span>
      ),
    },
  ];
  return (
    <Table
      isStacked="compact"
      label="Evidence"
      columns={columns}
      rows={judgeEvidence(record, evidence)}
    />
  );
}

function Value({ row: { value, note }, overruled }: JudgedRow<Row>) {
  return (
    <>
      {overruled === undefined ? String(value) : <s>{String(value)}</s>}{' '}
      <span className="quiet">{overruled === undefined ? note : `not used: ${overruled}`}</span>
    </>
  );
}

/** One network whose RPKI state is not known is among the facts already. */
export function RoutingSection({ lookup }: { lookup: IpLookup }) {
  const { record, routing, rpki_as_of, evidence } = lookup;
  const { origins, roas = [] } = routing;
  if (origins.length < 2 && rpki_as_of === undefined) return null;
  const sourceOf = (asn: number) => {
    const row = evidence.find(({ field, value }) => field === 'asn' && value === asn);
    return row && `${row.source}, ${row.as_of}`;
  };
  const columns: Column<Origin>[] = [
    {
      name: 'Network',
      cell: ({ asn, asn_name }) => <NetworkLink asn={asn} name={asn_name ?? ''} />,
    },
    ...(rpki_as_of === undefined
      ? []
      : [{ name: 'RPKI', cell: ({ rpki }: Origin) => rpki && <RpkiTag state={rpki} /> }]),
    { name: 'Source', cell: ({ asn }) => sourceOf(asn) },
  ];
  return (
    <Section
      title="Routing"
      note={
        <>
          {origins.length === 1
            ? 'The network that announces'
            : `${origins.length} networks announce`}{' '}
          <PrefixLink prefix={record.prefix} />
          {rpki_as_of !== undefined && (
            <>
              ; ROA data written <Time at={rpki_as_of} />
            </>
          )}
        </>
      }
    >
      <Table isStacked label="Origins" columns={columns} rows={origins} />
      {roas.length > 0 && <p className="quiet">{roas.map(roaWords).join('; ')}.</p>}
    </Section>
  );
}

const roaWords = ({ asn, prefix, max_length }: Roa) =>
  prefix.endsWith(`/${max_length}`)
    ? `A ROA allows AS${asn} to announce ${prefix}`
    : `A ROA allows AS${asn} to announce ${prefix} and its parts up to /${max_length}`;
