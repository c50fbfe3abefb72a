// The sets of attributes of a dataset, shared by runs with the same text and decisions.

import type { CompiledAttributes } from '../../file/texts/attributes.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { FLAGS, type Source, TYPE_SIGNALS, type TypeOrigin } from '../../record.ts';
import { type Attributes, attributeTexts, detectionOf } from '../describe/attributes.ts';
import { describe, type Facts, type Reason } from '../describe/describe.ts';
import type { CompileInput } from '../input/compile-input.ts';
import type { AnswerFigures } from './figures.ts';

export type AttributeSet = {
  readonly id: number;
  readonly figures: AnswerFigures;
};

type SharedText = { readonly text: string; readonly number: number };

export class AttributeTable {
  /** The id of a set is its position here. */
  readonly rows: CompiledAttributes[] = [];
  readonly #positions: ReadonlyMap<Source, number>;
  readonly #tables: CompileInput['tables'];
  /** The sources of tables of addresses. */
  readonly #ownSources: ReadonlySet<Source>;
  readonly #idByContent = new Map<string, number>();
  /**
   * Each text once, with its number: hundreds of thousands of sets are combinations of few texts.
   */
  readonly #texts = new Map<string, SharedText>();

  /** `sources`: decisions refer to them by position. */
  constructor(sources: readonly Source[], input: CompileInput) {
    this.#positions = new Map(sources.map((source, position) => [source, position]));
    this.#tables = input.tables;
    const own = input.overlays.filter(({ isTable }) => isTable);
    this.#ownSources = new Set(own.map(({ source }) => source));
  }

  of(facts: Facts): AttributeSet {
    const { attributes, reasons } = describe(facts);
    const texts = attributeTexts(attributes);
    const decisions = JSON.stringify(
      reasons.map(([field, source, ...value]) => [field, this.#positions.get(source), ...value]),
    );
    const network = this.#shared(texts.network);
    const threat = this.#shared(texts.threat);
    const list = this.#shared(decisions);
    const content = `${attributes.country}${network.number} ${threat.number} ${list.number}`;
    const row = {
      country: attributes.country,
      network: network.text,
      threat: threat.text,
      decisions: list.text,
    };
    const id = getOrInsert(this.#idByContent, content, () => this.rows.push(row) - 1);
    return { id, figures: figuresOf(attributes, reasons, this.#tables, this.#ownSources) };
  }

  #shared(text: string): SharedText {
    return getOrInsert(this.#texts, text, () => ({ text, number: this.#texts.size }));
  }
}

function figuresOf(
  attributes: Attributes,
  reasons: readonly Reason[],
  tables: CompileInput['tables'],
  ownSources: ReadonlySet<Source>,
): AnswerFigures {
  const isAssumed = reasons.some(
    ([field, , value]) => field === 'type_signal' && value === TYPE_SIGNALS.assumed,
  );
  const decidedBy = (wanted: string) => reasons.find(([field]) => field === wanted)?.[1];
  const detection = detectionOf(attributes);
  return {
    country: attributes.country,
    rir: attributes.rir,
    // A registry by IANA's table is an estimate.
    isExactRir: decidedBy('rir') !== tables.iana,
    typeFrom: typeOrigin(decidedBy('connection_type'), isAssumed, tables, ownSources),
    flags: FLAGS.filter((flag) => detection[flag]),
    score: attributes.threat.score,
    decidedBy: { prefix: decidedBy('prefix'), country: decidedBy('country') },
  };
}

function typeOrigin(
  source: Source | undefined,
  isAssumed: boolean,
  tables: CompileInput['tables'],
  ownSources: ReadonlySet<Source>,
): TypeOrigin {
  if (source === undefined || isAssumed) return 'none';
  if (source === tables['type-signals']) return 'signals';
  if (source === tables['name-rules']) return 'rule';
  return source === tables.networks || ownSources.has(source) ? 'table' : 'list';
}
