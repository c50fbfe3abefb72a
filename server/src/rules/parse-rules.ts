// A rules file, YAML or JSON, to rule sets. Mistakes are reported with line and column; the file is
// refused as a whole.
import { parsePrefixedAsn } from '@whence/dataset/as-number';
import { formatPrefix } from '@whence/dataset/prefix';
import { CONNECTION_TYPES, FLAGS } from '@whence/dataset/record';
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { closestName } from '../closest-name.ts';
import { type PrefixFile, parseExactCidr } from './prefix-file.ts';
import { bytesOf, normalizeHost, normalizePath } from './request-facts.ts';
import {
  ACTIONS,
  type AddressList,
  type Conditions,
  DEFAULTS,
  FORBIDDEN_STATUS,
  MODES,
  type Position,
  REQUEST_CONDITIONS,
  type Rule,
  type RuleFile,
  type RuleSet,
} from './rule-sets.ts';

/** Bounds on what one file may hold; an alias counts as what it stands for. */
const MAX_NAMES = 100;
const MAX_RULES = 1_000;
const MAX_FILE_RULES = 5_000;
const MAX_VALUES = 20_000;
const MAX_TEXT = 500;
/** Maximum: in a file that is something else, each line may be a problem. */
const MAX_MISTAKES = 50;
/** How many of them are logged. */
const LOGGED_MISTAKES = 10;
const MAX_MESSAGE = 200;
/** In headers, labels of metrics and paths of lists. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const NAME_RULE = 'a name: up to 64 letters, digits, ".", "_" and "-"';

export type Mistake = Position & { readonly message: string };

/** Thrown with the mistakes of the file, the first ones first. */
export class InvalidRules extends Error {
  override name = 'InvalidRules';
  readonly mistakes: readonly Mistake[];

  constructor(message: string, mistakes: readonly Mistake[]) {
    super(message);
    this.mistakes = mistakes;
  }
}

function invalid(all: readonly Mistake[]): InvalidRules {
  const first = (count: number): readonly Mistake[] => {
    const next = all[count];
    if (next === undefined) return all;
    return [
      ...all.slice(0, count),
      { ...next, message: `${all.length - count} more mistakes from here on` },
    ];
  };
  const lines = first(LOGGED_MISTAKES).map(
    ({ line, column, message }) => `line ${line}, column ${column}: ${message}`,
  );
  return new InvalidRules(lines.join('\n'), first(MAX_MISTAKES));
}

/** Or what is wrong with it. */
type FindPrefixFile = (path: string) => PrefixFile | string;

export function parseRules(
  text: string,
  prefixFile: FindPrefixFile = () => 'cannot be read here',
): RuleFile {
  try {
    return readRuleFile(text, prefixFile);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalid([{ line: 1, column: 1, message: 'the file is nested too deeply, or too long' }]);
  }
}

function readRuleFile(text: string, prefixFile: FindPrefixFile): RuleFile {
  const lines = new LineCounter();
  // The library compares each key with all before it.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, stringKeys: true });
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  // The library reports some of them instead of throwing them.
  if (document.errors.some(({ message }) => message.startsWith('Maximum call stack')))
    throw new RangeError();
  if (document.errors.length > 0)
    throw invalid(
      document.errors.map((error) => ({
        ...positionAt(error.pos[0]),
        message: firstLine(error.message),
      })),
    );
  // What each alias stands for. The library looks for each in the whole document.
  const anchors = new Map<string, Node>();
  const aliases = new Map<unknown, Node | undefined>();
  visit(document, {
    Alias: (_, node) => void aliases.set(node, anchors.get(node.source)),
    Value: (_, node) => void (node.anchor && anchors.set(node.anchor, node)),
  });
  const reader = new Reader(positionAt, prefixFile, aliases);
  const file = reader.file(document.contents);
  if (reader.mistakes.length > 0) throw invalid(reader.mistakes);
  return file;
}

/** The beginning of a message: in a text that is not YAML, a token may be all of it. */
function firstLine(message: string): string {
  const line = (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}…` : line;
}

type Fields = Readonly<Record<string, (node: Node | null) => unknown>>;
type Read<F extends Fields> = { [Name in keyof F]?: ReturnType<F[Name]> };

class Reader {
  readonly mistakes: Mistake[] = [];
  readonly #positionAt: (offset: number) => Position;
  readonly #prefixFile: FindPrefixFile;
  readonly #aliases: ReadonlyMap<unknown, Node | undefined>;
  #values = 0;
  #rules = 0;

  constructor(
    positionAt: (offset: number) => Position,
    prefixFile: FindPrefixFile,
    aliases: ReadonlyMap<unknown, Node | undefined>,
  ) {
    this.#positionAt = positionAt;
    this.#prefixFile = prefixFile;
    this.#aliases = aliases;
  }

  file(node: Node | null): RuleFile {
    const sets = new Map<string, RuleSet>();
    const lists = new Map<string, AddressList>();
    const named =
      <T>(parsed: Map<string, T>, read: (name: string, node: Node | null) => T) =>
      (value: Node | null) => {
        for (const { name, key, node } of this.#entries(value)) {
          if (parsed.size === MAX_NAMES) {
            this.#mistake(key, `more than ${MAX_NAMES} sets or lists`);
            break;
          }
          if (NAME.test(name)) parsed.set(name, read(name, node));
          else this.#mistake(key, `${quoted(name)} is not ${NAME_RULE}`);
        }
      };
    this.#fields(node, 'the file', {
      sets: named(sets, (name, value) => this.#set(name, value)),
      lists: named(lists, (name, value) => this.#list(name, value)),
    });
    if (this.mistakes.length === 0 && sets.size === 0 && lists.size === 0)
      this.#mistake(node, 'neither sets nor lists');
    return { sets, lists };
  }

  #set(name: string, node: Node | null): RuleSet {
    const read = this.#fields(node, `set ${name}`, {
      mode: (value) => this.#oneOf(value, MODES),
      default: (value) => this.#oneOf(value, DEFAULTS),
      rules: (value) => this.#setRules(value),
    });
    const rules = read.rules ?? [];
    const names = new Map<string, Rule>();
    for (const rule of rules) {
      const first = names.get(rule.name);
      if (first !== undefined)
        this.mistakes.push({
          ...rule.position,
          message: `rule ${quoted(rule.name)} exists in line ${first.position.line}`,
        });
      names.set(rule.name, rule);
    }
    if (read.default === undefined && this.mistakes.length === 0)
      this.#mistake(node, `set ${name} has no default`);
    return { name, mode: read.mode ?? 'enforce', default: read.default ?? 'allow', rules };
  }

  #setRules(node: Node | null): Rule[] {
    const items = this.#items(node);
    this.#rules += items.length;
    if (items.length > MAX_RULES) this.#mistake(node, `more than ${MAX_RULES} rules in one set`);
    else if (this.#rules > MAX_FILE_RULES)
      this.#mistake(node, `more than ${MAX_FILE_RULES} rules in one file`);
    else return items.map((item, i) => this.#rule(item, i));
    return [];
  }

  #rule(node: Node | null, index: number): Rule {
    const read = this.#fields(node, `rule ${index + 1}`, {
      name: (value) => this.#name(value),
      if: (value) => this.#conditions(value),
      // biome-ignore lint/suspicious/noThenProperty: the word of the file format; the object is never awaited
      then: (value) => this.#oneOf(value, ACTIONS),
      status: (value) => this.#integer(value, 400, 599),
      text: (value) => this.#text(value),
    });
    const { name = '', then: action } = read;
    if (name === '' && isMap(node) && !node.has('name')) this.#mistake(node, 'a rule needs a name');
    if (action === undefined && isMap(node) && !node.has('then'))
      this.#mistake(node, `a rule needs "then": ${ACTIONS.join(', ')}`);
    if (action !== 'deny' && (read.status !== undefined || read.text !== undefined))
      this.#mistake(node, 'only a rule that denies has a status and a text');
    const { status = FORBIDDEN_STATUS, text = '' } = read;
    return {
      name,
      conditions: read.if ?? {},
      action: action ?? 'allow',
      status,
      text,
      position: this.#positionOf(node),
    };
  }

  #list(name: string, node: Node | null): AddressList {
    let maxLoss: number | undefined;
    const conditions = this.#conditions(node, {
      max_loss_percent: (value) => {
        const percent = this.#integer(value, 1, 100);
        maxLoss = percent && percent / 100;
      },
    });
    for (const condition of REQUEST_CONDITIONS)
      if (condition in conditions)
        this.#mistake(node, `a list has conditions of an address, not ${condition}`);
    return { name, conditions, maxLoss, position: this.#positionOf(node) };
  }

  #conditions(node: Node | null, more: Fields = {}): Conditions {
    const lists = Object.entries(LISTED).map(([name, [read, expected]]) => {
      return [name, (value: Node | null) => this.#list_(value, read, expected)] as const;
    });
    return this.#fields(node, 'if', {
      ...more,
      ...Object.fromEntries(lists),
      prefixes_file: (value) =>
        this.#list_(value, (text) => text || undefined, 'the path of a file').flatMap((path) => {
          const file = this.#prefixFile(path);
          if (typeof file === 'string') this.#mistake(value, `${path} ${file}`);
          return typeof file === 'string' ? [] : [file];
        }),
      min_score: (value) => this.#integer(value, 1, 100),
      announced: (value) => this.#boolean(value),
      private: (value) => this.#boolean(value),
    }) as Conditions;
  }

  #fields<F extends Fields>(node: Node | null, what: string, fields: F): Read<F> {
    const read: Record<string, unknown> = {};
    const names = Object.keys(fields);
    for (const { name, key, node: value } of this.#entries(node, what)) {
      const readField = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (readField === undefined) {
        const meant = closestName(name, names);
        const hint = meant === undefined ? `it has ${names.join(', ')}` : `did you mean ${meant}?`;
        this.#mistake(key, `${what} has no ${quoted(name)}: ${hint}`);
      } else {
        const result = readField(value);
        if (result !== undefined) read[name] = result;
      }
    }
    return read as Read<F>;
  }

  #entries(node: Node | null, what = 'this'): { name: string; key: Node; node: Node | null }[] {
    if (!isMap(node)) {
      this.#mistake(node, `${what} is a map of names and values`);
      return [];
    }
    const names = new Set<string>();
    return (node as YAMLMap<Node, Node | null>).items.map(({ key, value }) => {
      const name = isScalar(key) ? String(key.value) : '';
      if (names.has(name)) this.#mistake(key, `${quoted(name)} is there twice`);
      names.add(name);
      return { name, key, node: this.#resolved(value) };
    });
  }

  #items(node: Node | null): (Node | null)[] {
    if (isSeq(node)) return (node.items as (Node | null)[]).map((item) => this.#resolved(item));
    this.#mistake(node, 'expected a list');
    return [];
  }

  #resolved(node: Node | null): Node | null {
    if (!isAlias(node)) return node;
    const alias = this.#aliases.get(node) ?? null;
    if (alias === null) this.#mistake(node, `*${node.source.slice(0, 80)} has no anchor before it`);
    return alias;
  }

  #list_<T>(node: Node | null, read: (text: string) => T | undefined, expected: string): T[] {
    const items = isScalar(node) ? [node] : this.#items(node);
    if (isSeq(node) && items.length === 0)
      this.#mistake(node, 'an empty list never matches: leave the condition out');
    this.#values += items.length;
    if (this.#values > MAX_VALUES) {
      this.#mistake(node, `more than ${MAX_VALUES} values in one file`);
      return [];
    }
    return items.flatMap((item) => {
      const value = isScalar(item) ? item.value : undefined;
      // YAML 1.1 readers take NO for false; this one does not, and a number is not a text.
      const parsed =
        typeof value === 'string' || typeof value === 'number'
          ? read(String(value).trim())
          : undefined;
      if (parsed === undefined) this.#mistake(item, `${shown(value)} is not ${expected}`);
      return parsed === undefined ? [] : [parsed];
    });
  }

  #scalar<T>(
    node: Node | null,
    read: (value: unknown) => T | undefined,
    expected: string,
  ): T | undefined {
    const value = isScalar(node) ? node.value : undefined;
    const parsed = read(value);
    if (parsed === undefined) this.#mistake(node, `${shown(value)} is not ${expected}`);
    return parsed;
  }

  #name(node: Node | null): string | undefined {
    return this.#scalar(
      node,
      (value) => [String(value ?? '')].find((text) => NAME.test(text)),
      NAME_RULE,
    );
  }

  #oneOf<const T extends string>(node: Node | null, values: readonly T[]): T | undefined {
    return this.#scalar(
      node,
      (value) => values.find((allowed) => allowed === value),
      `one of ${values.join(', ')}`,
    );
  }

  #integer(node: Node | null, from: number, to: number): number | undefined {
    const isWithin = (value: unknown) =>
      Number.isInteger(value) && (value as number) >= from && (value as number) <= to;
    const read = (value: unknown) => (isWithin(value) ? (value as number) : undefined);
    return this.#scalar(node, read, `a whole number from ${from} to ${to}`);
  }

  #boolean(node: Node | null): boolean | undefined {
    return this.#scalar(
      node,
      (value) => (typeof value === 'boolean' ? value : undefined),
      'true or false',
    );
  }

  #text(node: Node | null): string | undefined {
    const read = (value: unknown) =>
      typeof value === 'string' && value.length <= MAX_TEXT ? value : undefined;
    return this.#scalar(node, read, `a text of at most ${MAX_TEXT} characters`);
  }

  #positionOf(node: Node | null): Position {
    return this.#positionAt(node?.range?.[0] ?? 0);
  }

  #mistake(node: Node | null, message: string): void {
    this.mistakes.push({ ...this.#positionOf(node), message });
  }
}

const upperCase = (form: RegExp) => (text: string) =>
  form.test(text) ? text.toUpperCase() : undefined;
const lowerCase = (text: string) => text.toLowerCase() || undefined;

/** Conditions that are a list of texts: how each is read, and what it must be. */
const LISTED: Readonly<
  Record<string, readonly [read: (text: string) => unknown, expected: string]>
> = {
  hosts: [hostOf, 'a host name such as www.example.com or *.example.com'],
  paths: [
    (text) => (text.startsWith('/') ? normalizePath(text) : undefined),
    'a path such as /admin',
  ],
  methods: [upperCase(/^[A-Za-z]{1,20}$/), 'a method such as POST'],
  prefixes: [prefixOf, 'a prefix such as 192.0.2.0/24, without bits after its length'],
  countries: [upperCase(/^[A-Za-z]{2}$/), 'a country code such as DE'],
  asns: [parsePrefixedAsn, 'an AS number such as 64500 or AS64500'],
  connection_types: [
    (text) => CONNECTION_TYPES.find((type) => type === text),
    `one of ${CONNECTION_TYPES.join(', ')}`,
  ],
  flags: [
    (text) => FLAGS.find((flag) => flag === `is_${text}`),
    `one of ${FLAGS.map((flag) => flag.slice(3)).join(', ')}`,
  ],
  cloud_providers: [lowerCase, 'the name of a cloud provider'],
  ai_companies: [lowerCase, 'the name of a company'],
};

function hostOf(text: string): string | undefined {
  const [, wildcard = '', rest = ''] = /^(\*\.)?([^*]+)$/.exec(text) ?? [];
  const host = normalizeHost(bytesOf(rest));
  return host === undefined ? undefined : `${wildcard}${host}`;
}

function prefixOf(text: string): string | undefined {
  const cidr = parseExactCidr(text);
  return cidr && formatPrefix(cidr.address, cidr.length);
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 80));
const shown = (value: unknown) => (value === undefined ? 'this' : quoted(String(value)));
