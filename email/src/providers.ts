// Mail providers as their customers' records show them: data/providers.csv. A selector cannot be
// found without its name, and mail is not sent by the hosts that receive it, so `mx` in SPF would
// not cover it.
import { organizationOf } from './registrable-domain.ts';
import { readTable, words } from './tables.ts';

export type Provider = {
  readonly name: string;
  /**
   * A gateway filters mail for mailboxes at another provider. A service only sends, or also takes
   * replies.
   */
  readonly role: 'mailbox' | 'gateway' | 'service';
  /** MX hosts are one of these names, or below one. */
  readonly mx: readonly string[];
  /** What to include, the preferred name first. Empty if it differs from customer to customer. */
  readonly includes: readonly string[];
  /** Other names that show the provider in an SPF record. */
  readonly spfNames: readonly string[];
  /** `*` is the first label of the name in SPF, the number of the account. */
  readonly selectors: readonly string[];
  /**
   * `rotating`: fixed, and only one has a key at first. `changeable`: customers may choose. `own`:
   * each has others.
   */
  readonly selectorKind: 'fixed' | 'rotating' | 'changeable' | 'own' | '';
  /** What its selectors are aliases of. */
  readonly keyHosts: readonly string[];
  /**
   * An SPF term at the domain has no effect on its mail, because its bounces go to another domain.
   */
  readonly needsSpf: 'yes' | 'no' | '';
  /**
   * `no`: bounces go to its own domain, so mail passes DMARC only with a signature (RFC 9989 §4.4).
   */
  readonly aligns: 'yes' | 'no' | '';
  /** Names below which each customer has a bounce domain of its own. */
  readonly accounts: readonly string[];
  /** Where the customer switches DKIM on, in the words of its console. */
  readonly setup: string;
  /** What looks like a mistake and is none. */
  readonly normal: string;
};

/** The name of a part comes before that of the whole. */
const PROVIDERS: readonly Provider[] = readTable('providers.csv').map((cells) => {
  const [
    name,
    role,
    mx,
    includes,
    spfNames,
    selectors,
    selectorKind,
    keyHosts,
    needsSpf,
    aligns,
    accounts,
    setup,
    normal,
  ] = cells;
  const lists = { mx: words(mx), includes: words(includes), spfNames: words(spfNames) };
  const keys = { selectors: words(selectors), selectorKind, keyHosts: words(keyHosts) };
  const bounces = { needsSpf, aligns, accounts: words(accounts) };
  return { name, role, ...lists, ...keys, ...bounces, setup, normal } as Provider;
});

export function providerOf(mxHost: string): Provider | undefined {
  return PROVIDERS.find(({ mx }) => mx.some((name) => isWithin(mxHost, name)));
}

export function isWithin(name: string, parent: string): boolean {
  return name === parent || name.endsWith(`.${parent}`);
}

/** By the names that an SPF record has of them. A record may have a thousand names. */
const BY_SPF_NAME = new Map(
  PROVIDERS.flatMap((provider) =>
    [...provider.includes, ...provider.spfNames].map((name) => [name, provider] as const),
  ),
);

export function providerOfSpfName(name: string): Provider | undefined {
  const labels = name.split('.').slice(-MAX_LABELS);
  const candidates = labels.map((_, at) => BY_SPF_NAME.get(labels.slice(at).join('.')));
  return candidates.find((provider) => provider !== undefined);
}

/** The registrable domains of its own names, which it signs and takes bounces with. */
const domainsOf = ({ includes, spfNames, keyHosts }: Provider) =>
  [...includes, ...spfNames, ...keyHosts].map(organizationOf);

const BY_DOMAIN = new Map(
  PROVIDERS.flatMap((provider) =>
    domainsOf(provider).map((domain) => [domain, provider] as const),
  ).reverse(),
);

/**
 * The provider that a name belongs to, such as the bounce domain or the signer of a message: of
 * several regions, the first.
 */
export function providerOfDomain(name: string): Provider | undefined {
  return BY_DOMAIN.get(organizationOf(name));
}

/** Regions of a provider share their domain. */
export const isDomainOf = (name: string, provider: Provider | undefined): boolean =>
  provider !== undefined && domainsOf(provider).includes(organizationOf(name));

/** Names under which services publish the ranges that their customers share. */
export function publishedRanges(): readonly {
  readonly service: string;
  readonly include: string;
}[] {
  const isShared = ({ role, name }: Provider) =>
    role === 'service' || name === 'Google' || name === 'Microsoft 365';
  return PROVIDERS.filter(isShared).flatMap(({ name, includes }) =>
    includes.map((include) => ({ service: name, include })),
  );
}

export function providerNamed(name: string): Provider | undefined {
  return BY_NAME.get(name);
}

const BY_NAME = new Map(PROVIDERS.map((provider) => [provider.name, provider] as const));

/** Those that the MX hosts, and names in SPF records or in what was meant as one, show. */
function providersSeen(mxHosts: readonly string[], spfNames: readonly string[]): Set<Provider> {
  const seen = [...mxHosts.map(providerOf), ...spfNames.map(providerOfSpfName)];
  return new Set(seen.filter((provider) => provider !== undefined));
}

/** Whether a key with this selector, which may be an alias, is one that the provider signs with. */
export function isKeyOf(
  { selectors, selectorKind, keyHosts }: Provider,
  selector: string,
  alias?: string,
): boolean {
  if (alias !== undefined && keyHosts.some((host) => isWithin(alias, host))) return true;
  // The alias leads to another service: selectors such as k1 and s1 are used by several.
  if (alias !== undefined && providerOfKey(alias) !== undefined) return false;
  const lower = selector.toLowerCase();
  if (selectors.some((pattern) => isSelectorLike(lower, pattern))) return true;
  // Its customers choose the name, or get one of their own: any that no other service is known to
  // use.
  return selectorKind === 'own' && !isKnownSelector(lower);
}

/** The provider of the name that a selector is an alias of. */
export function providerOfKey(alias: string): Provider | undefined {
  return PROVIDERS.find(({ keyHosts }) => keyHosts.some((host) => isWithin(alias, host)));
}

function isSelectorLike(selector: string, pattern: string): boolean {
  if (!pattern.endsWith('*')) return selector === pattern;
  return (
    selector.startsWith(pattern.slice(0, -1)) && /^\d+$/.test(selector.slice(pattern.length - 1))
  );
}

function isKnownSelector(selector: string): boolean {
  return (
    GENERIC_SELECTOR.test(selector) ||
    PROVIDERS.some(({ selectors }) => selectors.includes(selector))
  );
}

/** What mail servers of one's own use. */
const GENERIC_SELECTOR =
  /^(?:default|dkim|email|mail|mx|smtp|x|(?:dkim|key|mail|s|selector)\d{0,2}|\d{4,8})$/;

/** Labels of the longest name in the list, and one more. */
const MAX_LABELS = 5;
const MAX_SPF_CHARACTERS = 4096;

/**
 * Also of terms that are written wrongly: which selectors are asked must not depend on a repair of
 * the record.
 */
function namesIn(text: string): string[] {
  return (
    text
      .slice(0, MAX_SPF_CHARACTERS)
      .toLowerCase()
      .match(/(?<![a-z0-9_-])[a-z0-9_-]+(?:\.[a-z0-9_-]+)+/g) ?? []
  );
}

/** The TXT records that are SPF, or were meant as such. */
export function spfTexts(txt: readonly string[]): string[] {
  return txt.filter((text) => /spf/i.test(text.slice(0, 20)));
}

const MAX_PROVIDER_SELECTORS = 10;

/** Selectors of the providers that the records show, each once. */
export function providerSelectors(
  mxHosts: readonly string[],
  spfTexts: readonly string[],
): string[] {
  const names = spfTexts.flatMap(namesIn);
  const selectors = [...providersSeen(mxHosts, names)].flatMap((seen) => selectorsOf(seen, names));
  return [...new Set(selectors)].slice(0, MAX_PROVIDER_SELECTORS);
}

/**
 * Those to ask for, with the number of the account where `names`, which SPF records have, tell it.
 */
export function selectorsOf(provider: Provider, names: readonly string[]): string[] {
  const [account] = names.flatMap((name) =>
    providerOfSpfName(name) === provider ? (/^\d{3,12}(?=\.)/.exec(name) ?? []) : [],
  );
  return provider.selectors.flatMap((pattern) => {
    if (!pattern.endsWith('*')) return [pattern];
    return account === undefined ? [] : [pattern.replace('*', account)];
  });
}
