// Records as flat fields, with the names of the API. A million runs share 140,000 records and 8,000
// sets of attributes, each parsed once. Records that differ only in explanations are one object, so
// neighbours compare with `===`.

import type { Dataset } from '@whence/dataset/dataset';
import { getOrInsert } from '@whence/dataset/get-or-insert';
import { type Match, recordNumber } from '@whence/dataset/match';
import {
  type ConnectionType,
  FLAGS,
  type Flag,
  type Rir,
  type ThreatLevel,
} from '@whence/dataset/record';

export type Fields = {
  readonly asn: number;
  readonly asn_name: string;
  readonly country: string;
  readonly rir?: Rir;
  readonly connection_type: ConnectionType;
  readonly ai_company?: string;
  readonly cloud_provider?: string;
  readonly threat_score: number;
  /** Absent if the score is not complete. */
  readonly threat_level?: ThreatLevel;
} & { readonly [flag in Flag]: boolean };

/** In column order. */
export const FIELDS = [
  'asn',
  'asn_name',
  'country',
  'rir',
  'connection_type',
  ...FLAGS,
  'ai_company',
  'cloud_provider',
  'threat_score',
  'threat_level',
] as const satisfies readonly (keyof Fields)[];

type AttributeFields = Omit<Fields, 'asn' | 'asn_name'>;

/**
 * A distinct set of attributes, and the complete fields of each network that has it, by AS number.
 */
type AttributeGroup = { readonly attributes: AttributeFields; readonly byAsn: Map<number, Fields> };

export class FieldsReader {
  readonly #dataset: Dataset;
  readonly #byRecord: (Fields | undefined)[];
  readonly #byAttributes: (AttributeGroup | undefined)[];
  readonly #byText = new Map<string, AttributeGroup>();
  readonly #names = new Map<number, string>();
  readonly #version: 4 | 6;

  /** For addresses of one family: a score may be complete in one of them. */
  constructor(dataset: Dataset, version: 4 | 6) {
    this.#dataset = dataset;
    this.#version = version;
    // Record 0 is reserved and not counted.
    this.#byRecord = new Array(dataset.meta.counts.records + 1).fill(undefined);
    this.#byAttributes = new Array(dataset.meta.counts.attribute_sets).fill(undefined);
  }

  fieldsOf(match: Match): Fields {
    const record = recordNumber(match);
    const cached = this.#byRecord[record];
    if (cached !== undefined) return cached;
    const asn = this.#dataset.asnNumber(match);
    const { attributes, byAsn } = this.#groupOf(match);
    const fields = getOrInsert(byAsn, asn, () => ({
      asn,
      asn_name: this.#nameOf(asn, match),
      ...attributes,
    }));
    this.#byRecord[record] = fields;
    return fields;
  }

  #groupOf(match: Match): AttributeGroup {
    const number = this.#dataset.attributesOf(match);
    const cached = this.#byAttributes[number];
    if (cached !== undefined) return cached;
    const isThreatKnown = this.#dataset.threatGap(this.#version, match) === undefined;
    const attributes = flatten(this.#dataset.attributes(number), isThreatKnown);
    const text = JSON.stringify(attributes);
    const group = getOrInsert(this.#byText, text, () => ({ attributes, byAsn: new Map() }));
    this.#byAttributes[number] = group;
    return group;
  }

  #nameOf(asn: number, match: Match): string {
    return getOrInsert(
      this.#names,
      asn,
      () => JSON.parse(`"${this.#dataset.escapedName(match)}"`) as string,
    );
  }
}

function flatten(
  { country, rir, connection_type, detection, threat }: ReturnType<Dataset['attributes']>,
  isThreatKnown: boolean,
): AttributeFields {
  const { ai_company, cloud_provider, ...flags } = detection;
  return {
    country,
    ...(rir && { rir }),
    connection_type,
    ...flags,
    ...(ai_company === undefined ? {} : { ai_company }),
    ...(cloud_provider === undefined ? {} : { cloud_provider }),
    threat_score: threat.score,
    ...(isThreatKnown && { threat_level: threat.level }),
  };
}
