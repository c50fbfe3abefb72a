/**
 * The tails of a dataset. Runs with the same key share a tail, and so do different facts that lead to the same text.
 */
import type { CompiledTail } from '../file/tails.ts';
import { FLAGS, type Source, type TypeOrigin } from '../record.ts';
import type { CompileInput } from './compile-input.ts';
import { describe, type Facts, type Reason } from './describe.ts';
import type { AnswerFigures } from './figures.ts';
import { type Tail, tailTexts } from './tail.ts';

export type TailEntry = { readonly id: number; readonly figures: AnswerFigures };

type SharedText = { readonly text: string; readonly number: number };

export class TailTable {
  /** A tail's id is its position here. */
  readonly rows: CompiledTail[] = [];
  readonly #sources: readonly Source[];
  readonly #input: CompileInput;
  readonly #byKey = new Map<string, TailEntry>();
  readonly #idByContent = new Map<string, number>();
  /** Each text once, with its number: hundreds of thousands of tails are combinations of few texts. */
  readonly #texts = new Map<string, SharedText>();

  /** `sources`: decisions refer to them by position. */
  constructor(sources: readonly Source[], input: CompileInput) {
    this.#sources = sources;
    this.#input = input;
  }

  /** `facts` is only called for a new key. */
  get(key: string, facts: () => Facts): TailEntry {
    let entry = this.#byKey.get(key);
    if (entry === undefined) {
      entry = this.#add(facts());
      this.#byKey.set(key, entry);
    }
    return entry;
  }

  #add(facts: Facts): TailEntry {
    const { tail, reasons } = describe(facts);
    const texts = tailTexts(tail);
    const decisions = JSON.stringify(
      reasons.map(([field, source, ...value]) => [field, this.#sources.indexOf(source), ...value]),
    );
    const network = this.#shared(texts.network);
    const threat = this.#shared(texts.threat);
    const list = this.#shared(decisions);
    const content = `${tail.country}${network.number} ${threat.number} ${list.number}`;
    let id = this.#idByContent.get(content);
    if (id === undefined) {
      const row = { country: tail.country, network: network.text, threat: threat.text, decisions: list.text };
      id = this.rows.push(row) - 1;
      this.#idByContent.set(content, id);
    }
    return { id, figures: figuresOf(tail, reasons, this.#input) };
  }

  #shared(text: string): SharedText {
    let shared = this.#texts.get(text);
    if (shared === undefined) {
      shared = { text, number: this.#texts.size };
      this.#texts.set(text, shared);
    }
    return shared;
  }
}

function figuresOf(tail: Tail, reasons: readonly Reason[], input: CompileInput): AnswerFigures {
  const { tables, overrides, overlays } = input;
  const ownSources = [overrides?.source, ...overlays.filter(({ isTable }) => isTable).map(({ source }) => source)];
  const decidedBy = (wanted: string) => reasons.find(([field]) => field === wanted)?.[1];
  const detection = { is_tor_exit: tail.tor, is_proxy: tail.proxy, is_vpn: tail.vpn };
  return {
    country: tail.country,
    rir: tail.rir,
    // A registry by IANA's table is an estimate.
    isExactRir: decidedBy('rir') !== tables.iana,
    typeFrom: typeOrigin(decidedBy('connection_type'), tables, ownSources),
    flags: FLAGS.filter(
      (flag) =>
        detection[flag as keyof typeof detection] === true ||
        flag === `is_${tail.connection_type}` ||
        (flag === 'is_ai_crawler' && tail.ai_company !== undefined),
    ),
    score: tail.threat.score,
  };
}

/** `own`: the overrides, and tables of addresses. */
function typeOrigin(
  source: Source | undefined,
  tables: CompileInput['tables'],
  own: readonly (Source | undefined)[],
): TypeOrigin {
  if (source === undefined) return 'none';
  if (source === tables['name-rules']) return 'rule';
  return source === tables.networks || own.includes(source) ? 'table' : 'list';
}
