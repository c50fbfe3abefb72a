/**
 * What a record says from `country` on, and why. All that the sources state about a run of addresses comes in; the order in which they are
 * believed is decided here, field by field. The operator's overrides come last.
 */
import type { ConnectionType, Rir, Source, Threat } from '../record.ts';
import type { Connection } from './connection.ts';
import type { Drive } from './feed.ts';
import type { Listing } from './overlays.ts';
import type { Relabel, Verdict } from './overrides.ts';
import type { Tail } from './tail.ts';
import { type Contribution, levelOf, rateBlocklists, rateThreat, WEIGHTS } from './threat.ts';

export type Facts = {
  readonly route: Source;
  /** Who gave the network its name; absent when it is called by its number. */
  readonly name: Source | undefined;
  readonly connection: Connection;
  readonly rir: { readonly value: Rir; readonly source: Source };
  /** From the sources of countries, in case that no listing knows better. */
  readonly country: Stated<string> | undefined;
  readonly listings: readonly Listing[];
  readonly overrides: LocalKnowledge | undefined;
};

export type Stated<T> = { readonly value: T; readonly source: Source };

/** What the overrides say of these addresses; at least one of the two. */
export type LocalKnowledge = {
  readonly source: Source;
  readonly relabel: Relabel | undefined;
  readonly verdict: Verdict | undefined;
};

/** A field, who decided it and, where the record does not show it, what it was decided to be. */
export type Reason = readonly [field: string, source: Source, value?: number];

export function describe(facts: Facts): { tail: Tail; reasons: readonly Reason[] } {
  const reasons: Reason[] = [];
  const contributions: Contribution[] = [];
  const { route, name, connection, rir, overrides } = facts;
  const relabel = overrides?.relabel ?? {};
  /** The operator's word if there is one, else that of the source, else nothing. */
  const settle = <T>(field: keyof Relabel, stated: Stated<T> | undefined): Stated<T> | undefined => {
    const own = relabel[field] as T | null | undefined;
    const settled =
      own === undefined || overrides === undefined
        ? stated
        : own === null
          ? undefined
          : { value: own, source: overrides.source };
    if (settled !== undefined) reasons.push([field, settled.source]);
    else if (own === null && overrides !== undefined) reasons.push([field, overrides.source]);
    return settled;
  };
  const listed = (drive: Drive) => facts.listings.find(({ overlay }) => overlay.drives.includes(drive));

  reasons.push(['prefix', route], ['asn', route]);
  if (name !== undefined) reasons.push(['asn_name', name]);
  const country = settle('country', countryListed(facts.listings) ?? facts.country);
  reasons.push(['rir', rir.source]);
  const type = settle<ConnectionType>('connection_type', typeOf(connection, facts.listings));
  const cloud = listed('cloud_provider');
  const provider = settle(
    'cloud_provider',
    cloud?.overlay.provider !== undefined
      ? { value: cloud.overlay.provider, source: cloud.overlay.source }
      : connection.cloud_provider !== undefined && connection.decidedBy !== undefined
        ? { value: connection.cloud_provider, source: connection.decidedBy }
        : undefined,
  );

  const crawler = listed('is_ai_crawler');
  const company = settle(
    'ai_company',
    crawler?.overlay.company === undefined
      ? undefined
      : { value: crawler.overlay.company, source: crawler.overlay.source },
  );
  if (company !== undefined) reasons.push(['is_ai_crawler', company.source]);
  const flag = (field: 'is_tor_exit' | 'is_proxy' | 'is_vpn', what: string, points: number, source?: Source) => {
    const settled = settle(field, source && { value: true, source });
    if (settled?.value === true) contributions.push({ what, source: settled.source, points });
    return settled?.value === true;
  };
  const criminal = listed('criminal_netblock');
  if (criminal !== undefined) {
    const what = ['criminal netblock', criminal.statement.label].filter(Boolean).join(' ');
    contributions.push({ what, source: criminal.overlay.source, points: WEIGHTS.criminal_netblock });
  } else if (connection.criminal !== undefined) {
    const what = 'network of a criminal operator';
    contributions.push({ what, source: connection.criminal, points: WEIGHTS.criminal_netblock });
  }
  const exit = listed('is_tor_exit');
  const relay = exit?.statement.label === undefined ? 'Tor exit' : `Tor exit of ${exit.statement.label}`;
  const tor = flag('is_tor_exit', relay, WEIGHTS.tor_exit, exit?.overlay.source);
  const proxy = flag('is_proxy', 'public proxy', WEIGHTS.proxy, listed('is_proxy')?.overlay.source);
  const tunnel = listed('is_vpn')?.overlay;
  const operator = connection.vpn?.operator ?? tunnel?.operator;
  const vpn = flag(
    'is_vpn',
    operator === undefined ? 'VPN' : `VPN operator ${operator}`,
    WEIGHTS.vpn,
    connection.vpn?.source ?? tunnel?.source,
  );
  const connectionType = type?.value ?? connection.type;
  if (connectionType === 'datacenter' && type !== undefined)
    contributions.push({ what: 'datacenter', source: type.source, points: WEIGHTS.datacenter });
  contributions.push(
    ...rateBlocklists(
      facts.listings
        .filter(({ overlay }) => overlay.drives.includes('blocklist'))
        .map(({ overlay, statement }) => ({ source: overlay.source, lists: statement.lists })),
    ),
  );
  for (const { source, points } of contributions) reasons.push(['threat.score', source, points]);
  const threat = judge(rateThreat(contributions), overrides, reasons);

  const tail = {
    country: country?.value ?? 'ZZ',
    rir: rir.value,
    connection_type: connectionType,
    tor,
    proxy,
    vpn,
    ai_company: company?.value,
    cloud_provider: provider?.value,
    threat,
  };
  return { tail, reasons };
}

/** A provider says itself where its addresses are used: in a geofeed (RFC 8805), or by the region of its cloud. */
function countryListed(listings: readonly Listing[]): Stated<string> | undefined {
  const listing = listings.find(({ overlay, statement }) => overlay.drives.includes('country') && statement.country);
  const value = listing?.statement.country;
  return value === undefined || listing === undefined ? undefined : { value, source: listing.overlay.source };
}

/** A cloud's own list of its addresses is certain; a list of hosting prefixes only beats what a name or nothing suggests. */
function typeOf(connection: Connection, listings: readonly Listing[]): Stated<ConnectionType> | undefined {
  const cloud = listings.find(({ overlay }) => overlay.drives.includes('cloud_provider'));
  if (cloud !== undefined) return { value: 'datacenter', source: cloud.overlay.source };
  const hosting = listings.find(({ overlay }) => overlay.drives.includes('is_datacenter'));
  if (hosting !== undefined && !connection.isLabelled) return { value: 'datacenter', source: hosting.overlay.source };
  return connection.decidedBy && { value: connection.type, source: connection.decidedBy };
}

/** The operator's verdict replaces the sum, and says so. */
function judge(threat: Threat, overrides: LocalKnowledge | undefined, reasons: Reason[]): Threat {
  if (overrides?.verdict === undefined) return threat;
  const { source } = overrides;
  const { kind, reason } = overrides.verdict;
  const because = reason === undefined ? '' : `: ${reason}`;
  const score = kind === 'deny' ? WEIGHTS.denied : 0;
  const line =
    kind === 'deny'
      ? `denied (${source.id}, ${source.as_of}): +${score}${because}`
      : `allowed (${source.id}, ${source.as_of}): 0 instead of ${threat.score}${because}`;
  reasons.push(['threat.score', source, score]);
  return { score, level: levelOf(score), explanation: [line, ...(threat.explanation ?? [])] };
}
