import { asciiJson } from '../file/texts/ascii-writer.ts';
import { type Decision, decisionOrder } from '../file/texts/decisions.ts';
import type { Detection, IpRecord, Source, Threat } from '../record.ts';
import { byFlag, levelOf, THREAT_WEIGHTS, TYPE_SIGNALS } from '../record.ts';
import type { Relabel, Verdict } from './overrides.ts';

/** The part of a record that does not depend on the address. */
type Attributes = Omit<IpRecord, 'ip' | 'prefix' | 'asn' | 'asn_name'>;

export type Applied = {
  readonly isOwnNetwork: boolean;
  readonly relabel: Relabel;
  readonly verdict: Verdict | undefined;
};

/** The text of a record from `country` on, in the three fragments of a dataset. */
export type RecordText = {
  readonly fragments: readonly Uint8Array[];
  readonly decisions: [field: string, source: number, value?: number | string][];
  /** `deny` and `allow` replace the score, so that it needs no lists. */
  readonly isJudged: boolean;
};

/** A network in space without other data. */
export const UNKNOWN: Attributes = {
  country: 'ZZ',
  connection_type: 'business',
  detection: byFlag(() => false),
  threat: { score: 0, level: 'low' },
};

const SCORED_FLAGS = {
  is_tor_exit: { word: 'Tor exit', points: THREAT_WEIGHTS.tor_exit },
  is_proxy: { word: 'public proxy', points: THREAT_WEIGHTS.proxy },
  is_vpn: { word: 'VPN', points: THREAT_WEIGHTS.vpn },
} as const;
type ScoredFlag = keyof typeof SCORED_FLAGS;

/** `source` has this `position` among the sources of the dataset. */
export function overriddenRecord(
  base: { readonly attributes: Attributes; readonly decisions: RecordText['decisions'] },
  applied: Applied,
  source: Source,
  position: number,
): RecordText {
  const { relabel, verdict } = applied;
  const { attributes } = base;
  const own = (field: string): [string, number] => [field, position];
  const isAssumed = attributes === UNKNOWN && relabel.connection_type === undefined;
  const fields = [
    ...(applied.isOwnNetwork ? ['prefix', 'prefix_is_derived', 'asn', 'asn_name'] : []),
    ...(isAssumed ? ['connection_type'] : []),
    ...Object.keys(relabel),
    ...(typeof relabel.ai_company === 'string' ? ['is_ai_crawler'] : []),
  ];
  const replaced = new Set(fields);
  if (relabel.connection_type !== undefined) replaced.add('type_signal');
  if (relabel.ai_company === null) replaced.add('is_ai_crawler');
  const kept = base.decisions.filter(([field, , value]) =>
    // A country that another source says stays in the evidence, unless the operator says the same.
    field === 'country' && value !== undefined ? value !== relabel.country : !replaced.has(field),
  );
  const flagged = SCORED.filter(
    (flag) => relabel[flag] !== undefined && relabel[flag] !== attributes.detection[flag],
  );
  const scored = rescored(attributes.threat, kept, flagged, { relabel, base, source, position });
  const threat = verdict === undefined ? scored.threat : judged(scored.threat, verdict, source);
  const decisions: RecordText['decisions'] = [
    ...scored.decisions,
    ...fields.map(own),
    ...(isAssumed
      ? [['type_signal', position, TYPE_SIGNALS.assumed] as [string, number, string]]
      : []),
    ...(verdict === undefined
      ? []
      : [['threat.score', position, threat.score] as [string, number, number]]),
  ];
  const { rir } = attributes;
  const network = {
    ...(rir && { rir }),
    connection_type: relabel.connection_type ?? attributes.connection_type,
    detection: detectionOf(attributes.detection, relabel),
  };
  return {
    fragments: [
      `"country":"${relabel.country ?? attributes.country}",`,
      `${asciiJson(network).slice(1, -1)},`,
      asciiJson({ threat }).slice(1, -1),
    ].map((text) => Buffer.from(text, 'latin1')),
    isJudged: verdict !== undefined,
    decisions: decisions.sort((a, b) => decisionOrder(a) - decisionOrder(b)),
  };
}

const SCORED = Object.keys(SCORED_FLAGS) as ScoredFlag[];

function detectionOf(base: Detection, relabel: Relabel): Detection {
  const { ai_company, cloud_provider, ...flags } = base;
  const { connection_type: type } = relabel;
  const company = relabel.ai_company === undefined ? ai_company : (relabel.ai_company ?? undefined);
  const provider =
    relabel.cloud_provider === undefined ? cloud_provider : (relabel.cloud_provider ?? undefined);
  return {
    ...flags,
    ...(type && {
      is_datacenter: type === 'datacenter',
      is_residential: type === 'residential',
      is_mobile: type === 'mobile',
    }),
    ...Object.fromEntries(
      SCORED.flatMap((flag) => (relabel[flag] === undefined ? [] : [[flag, relabel[flag]]])),
    ),
    ...(relabel.ai_company !== undefined && { is_ai_crawler: company !== undefined }),
    ...(company !== undefined && { ai_company: company }),
    ...(provider !== undefined && { cloud_provider: provider }),
  };
}

type Rescored = { readonly threat: Threat; readonly decisions: RecordText['decisions'] };

/**
 * A flag that the operator sets adds its points, one that is removed takes them with it. The
 * rest stays as it is.
 */
function rescored(
  threat: Threat,
  decisions: RecordText['decisions'],
  flags: readonly ScoredFlag[],
  {
    relabel,
    base,
    source,
    position,
  }: {
    readonly relabel: Relabel;
    readonly base: { readonly decisions: readonly Decision[] };
    readonly source: Source;
    readonly position: number;
  },
): Rescored {
  if (flags.length === 0) return { threat, decisions };
  let lines = threat.explanation ?? [];
  let left = [...decisions];
  for (const flag of flags) {
    const { word, points } = SCORED_FLAGS[flag];
    if (relabel[flag] === true) {
      lines = [...lines, `${word} (${source.id}, ${source.as_of}): +${points}`];
      left.push(['threat.score', position, points]);
    } else {
      lines = lines.filter((line) => !line.startsWith(word));
      const lists = base.decisions.flatMap(([field, list]) => (field === flag ? [list] : []));
      left = left.filter(([field, list]) => field !== 'threat.score' || !lists.includes(list));
    }
  }
  const sum = left.reduce(
    (all, [field, , value]) => all + (field === 'threat.score' ? Number(value) : 0),
    0,
  );
  const score = Math.min(100, sum);
  const explanation = lines.sort((a, b) => pointsOf(b) - pointsOf(a));
  return {
    threat: { score, level: levelOf(score), ...(explanation.length > 0 && { explanation }) },
    decisions: left,
  };
}

const pointsOf = (line: string): number => Number(/\): \+(\d+)/.exec(line)?.[1] ?? 0);

/** The operator's verdict replaces the sum, and the explanation says so. */
function judged(threat: Threat, { kind, reason }: Verdict, { id, as_of }: Source): Threat {
  const because = reason === undefined ? '' : `: ${reason}`;
  const score = kind === 'deny' ? THREAT_WEIGHTS.denied : 0;
  const line =
    kind === 'deny'
      ? `denied (${id}, ${as_of}): +${score}${because}`
      : `allowed (${id}, ${as_of}): 0 instead of ${threat.score}${because}`;
  return { score, level: levelOf(score), explanation: [line, ...(threat.explanation ?? [])] };
}
