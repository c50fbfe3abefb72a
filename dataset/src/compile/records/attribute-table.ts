// The sets of attributes of a dataset, shared by runs with the same key or the same text and decisions.

import type { CompiledAttributes } from '../../file/texts/attributes.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { FLAGS, type Source, TYPE_SIGNALS, type TypeOrigin } from '../../record.ts';
import { type Attributes, attributeTexts, detectionOf } from '../describe/attributes.ts';
import { describe, type Facts, type Reason } from '../describe/describe.ts';
import { heldOutOutcomes, type Outcome } from '../held-out/addresses.ts';
import type { CompileInput } from '../input/compile-input.ts';
import type { AnswerFigures } from './figures.ts';

type AttributeSet = {
  readonly id: number;
  readonly figures: AnswerFigures;
  readonly outcomes: readonly Outcome[];
};

type SharedText = { readonly text: string; readonly number: number };

export class AttributeTable {
  /** The id of a set is its position here. */
  readonly rows: CompiledAttributes[] = [];
  readonly #sources: readonly Source[];
  readonly #input: CompileInput;
  readonly #byKey = new Map<string, AttributeSet>();
  readonly #idByContent = new Map<string, number>();
  /** Each text once, with its number: hundreds of thousands of sets are combinations of few texts. */
  readonly #texts = new Map<string, SharedText>();

  /** `sources`: decisions refer to them by position. */
  constructor(sources: readonly Source[], input: CompileInput) {
    this.#sources = sources;
    this.#input = input;
  }

  /** `facts` is only called for a new key. */
  get(key: string, facts: () => Facts): AttributeSet {
    return getOrInsert(this.#byKey, key, () => this.#add(facts()));
  }

  #add(facts: Facts): AttributeSet {
    const { attributes, reasons } = describe(facts);
    const texts = attributeTexts(attributes);
    const decisions = JSON.stringify(
      reasons.map(([field, source, ...value]) => [field, this.#sources.indexOf(source), ...value]),
    );
    const network = this.#shared(texts.network);
    const threat = this.#shared(texts.threat);
    const list = this.#shared(decisions);
    const content = `${attributes.country}${network.number} ${threat.number} ${list.number}`;
    const row = { country: attributes.country, network: network.text, threat: threat.text, decisions: list.text };
    const id = getOrInsert(this.#idByContent, content, () => this.rows.push(row) - 1);
    return { id, figures: figuresOf(attributes, reasons, this.#input), outcomes: heldOutOutcomes(facts) };
  }

  #shared(text: string): SharedText {
    return getOrInsert(this.#texts, text, () => ({ text, number: this.#texts.size }));
  }
}

function figuresOf(attributes: Attributes, reasons: readonly Reason[], input: CompileInput): AnswerFigures {
  const isAssumed = reasons.some(([field, , value]) => field === 'type_signal' && value === TYPE_SIGNALS.assumed);
  const { tables, overlays } = input;
  const ownSources = overlays.filter(({ isTable }) => isTable).map(({ source }) => source);
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

/** `own`: tables of addresses. */
function typeOrigin(
  source: Source | undefined,
  isAssumed: boolean,
  tables: CompileInput['tables'],
  own: readonly Source[],
): TypeOrigin {
  if (source === undefined || isAssumed) return 'none';
  if (source === tables['type-signals']) return 'signals';
  if (source === tables['name-rules']) return 'rule';
  return source === tables.networks || own.includes(source) ? 'table' : 'list';
}
