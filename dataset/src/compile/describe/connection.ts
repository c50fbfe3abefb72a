// What kind of network an AS is. The first that knows decides: the hand-written table, lists of
// roles, lists of hosting networks, rules on names. Else weak signals are added up, and if those
// are unclear the type is assumed.
import { labelledNetworks, nameRules, scanners } from '../../data-files/data-files.ts';
import type { ConnectionType, Source, TypeSignal } from '../../record.ts';
import type { CompileInput, NetworkList, Stated } from '../input/compile-input.ts';
import { foldedWords } from '../signals/folded-words.ts';
import type { NetworkSignals } from '../signals/network-signals.ts';
import { scoreType } from '../signals/type-score.ts';

export type Connection = {
  readonly type: ConnectionType;
  readonly decidedBy: Source;
  /** What decided, if the type is the sum of weak signals. */
  readonly signal?: TypeSignal;
  readonly isAssumed: boolean;
  /**
   * The type was assigned to this network in particular, so a list of hosting prefixes does not
   * overrule it.
   */
  readonly isLabelled: boolean;
  readonly cloud_provider: string | undefined;
  readonly vpn: { readonly operator: string | undefined; readonly source: Source } | undefined;
  /** Who scans the internet from the whole network. */
  readonly scanner: Stated<string> | undefined;
  /** The list that names the whole network as criminal. */
  readonly criminal: Source | undefined;
  /** Lists that name the whole network and are too old to count. */
  readonly tooOld: readonly Pick<NetworkList, 'source' | 'tooOld'>[] | undefined;
};

type ConnectionTables = Pick<
  CompileInput['tables'],
  'networks' | 'scanners' | 'name-rules' | 'type-signals'
>;

type NamedNetwork = {
  readonly asn: number;
  readonly name: string;
  readonly handle: string | undefined;
  /** Only called if no list and no rule knows the network. */
  readonly signals: () => NetworkSignals;
};

export function connectionOf(
  network: NamedNetwork,
  lists: readonly NetworkList[],
  tables: ConnectionTables,
): Connection {
  const { asn } = network;
  const listing = lists.filter(({ networks }) => networks.has(asn));
  const vpnList = listing.find(({ drives }) => drives.includes('is_vpn'));
  const criminal = listing.find(({ drives }) => drives.includes('criminal_netblock'))?.source;
  const tooOld = listing.flatMap(({ source, tooOld: drives }) =>
    drives ? [{ source, tooOld: drives }] : [],
  );
  const labelledNetwork = labelledNetworks.find(asn);
  const vpn =
    labelledNetwork?.vpn_operator !== undefined
      ? { operator: labelledNetwork.vpn_operator, source: tables.networks }
      : vpnList && { operator: vpnList.operator, source: vpnList.source };
  const scanner = scanners.find('', asn)?.operator;
  const marks = {
    scanner: scanner === undefined ? undefined : { value: scanner, source: tables.scanners },
    cloud_provider: labelledNetwork?.cloud_provider,
    vpn,
    criminal,
    tooOld: tooOld.length === 0 ? undefined : tooOld,
  };
  if (labelledNetwork !== undefined) {
    // Customers of a carrier use its addresses too, and a list of prefixes knows which of them are
    // data centres.
    const isLabelled = labelledNetwork.role !== 'carrier';
    return {
      type: labelledNetwork.connection_type,
      decidedBy: tables.networks,
      isLabelled,
      isAssumed: false,
      ...marks,
    };
  }
  return { ...typeWithoutTable(network, lists, tables), ...marks };
}

/** What lists, rules and signals say. For networks of the table it shows how good these are. */
export function typeWithoutTable(
  { asn, name, handle, signals }: NamedNetwork,
  lists: readonly NetworkList[],
  tables: ConnectionTables,
): Pick<Connection, 'type' | 'decidedBy' | 'signal' | 'isLabelled' | 'isAssumed'> {
  const listing = lists.filter(({ networks }) => networks.has(asn));
  const typed = listing.find(({ drives }) => drives.includes('connection_type'));
  if (typed?.type !== undefined)
    return { type: typed.type, decidedBy: typed.source, isLabelled: true, isAssumed: false };
  const hosting = listing.find(({ drives }) => drives.includes('is_datacenter'));
  const guessed = { isLabelled: false, isAssumed: false };
  if (hosting !== undefined) return { type: 'datacenter', decidedBy: hosting.source, ...guessed };
  const rule = roleByName(name, handle);
  if (rule !== undefined) return { type: rule.role, decidedBy: tables['name-rules'], ...guessed };
  return {
    ...scoreType(signals()),
    decidedBy: tables['type-signals'],
    isLabelled: false,
  };
}

// Rules match names folded to lower-case ASCII words (' t mobile ubersee gmbh '), without the
// phrases to ignore ('St. Cloud'). A `word` matches whole words, a `part` also inside a compound
// ('Musterhochschule'). The first match decides.
const ruleSet = nameRules.derived((rows) => {
  const patterns = (rule: number, kind: (typeof rows)[number]['match']) =>
    rows.filter((row) => row.rule === rule && row.match === kind).map(({ pattern }) => pattern);
  const roles = new Map(
    rows.flatMap(({ rule, connection_type: type }) => (type === undefined ? [] : [[rule, type]])),
  );
  return {
    ignored: new RegExp(` (?:${patterns(0, 'ignore').join('|')})(?= )`, 'g'),
    rules: [...roles].map(([rule, role]) => {
      const parts = patterns(rule, 'part');
      return {
        role,
        words: new RegExp(` (?:${patterns(rule, 'word').join('|')})(?= )`),
        parts: parts.length === 0 ? undefined : new RegExp(parts.join('|')),
      };
    }),
  };
});

function fold(text: string): string {
  // 'Dream Net' is the name of an access provider, 'dream.net' is only a domain.
  const words = foldedWords(text.replace(/\.net\b/gi, ' dotted'));
  return ` ${words.join(' ')} `.replace(ruleSet().ignored, ' |');
}

/** The text from the start of the word at `from` to the end of the word before `to`. */
function wholeWords(folded: string, from: number, to: number): string {
  return folded.slice(folded.lastIndexOf(' ', from - 1) + 1, folded.indexOf(' ', to - 1));
}

function match(folded: string): { role: ConnectionType; word: string } | undefined {
  for (const { role, words, parts } of ruleSet().rules) {
    const hit = words.exec(folded) ?? parts?.exec(folded);
    if (hit) return { role, word: wholeWords(folded, hit.index + 1, hit.index + hit[0].length) };
  }
  return undefined;
}

export function roleByName(
  name: string,
  handle?: string,
): { role: ConnectionType; word: string } | undefined {
  const byName = match(fold(name));
  if (handle === undefined || (byName !== undefined && byName.role !== 'residential'))
    return byName;
  // About half of all handles end in -NET or -ISP, so the end of a handle is ignored: after the
  // bar, no pattern for the end of a name matches.
  const byHandle = match(`${fold(handle).replace(/ (?:isp|internet|scm)(?= )/g, ' |')}|`);
  if (byName === undefined) return byHandle;
  // The name of an access provider with the handle of a datacenter or mobile network: a mixed
  // company, and it is unknown which of its networks this is.
  return byHandle?.role === 'datacenter' || byHandle?.role === 'mobile' ? undefined : byName;
}
