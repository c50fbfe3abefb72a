// Records as flat fields, with the names of the API. A million runs share 140,000 records and 8,000 sets of attributes,
// each parsed once. Records that differ only in explanations are one object, so neighbours compare with `===`.

import { type Match, recordNumber } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { getOrInsert } from '@whence/dataset/internal/get-or-insert';
import { type ConnectionType, FLAGS, type Flag, type Rir, type ThreatLevel } from '@whence/dataset/record';

export type Fields = {
  readonly asn: number;
  readonly asn_name: string;
  readonly country: string;
  readonly rir?: Rir;
  readonly connection_type: ConnectionType;
  readonly ai_company?: string;
  readonly cloud_provider?: string;
  readonly threat_score: number;
  readonly threat_level: ThreatLevel;
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

/** A distinct set of attributes, and the complete fields of each network that has it, by AS number. */
type AttributeGroup = { readonly attributes: AttributeFields; readonly byAsn: Map<number, Fields> };

export class FieldsReader {
  readonly #dataset: Dataset;
  readonly #byRecord: (Fields | undefined)[];
  readonly #byAttributes: (AttributeGroup | undefined)[];
  readonly #byText = new Map<string, AttributeGroup>();
  readonly #names = new Map<number, string>();

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
    // Record 0 is reserved and not counted.
    this.#byRecord = new Array(dataset.meta.counts.records + 1).fill(undefined);
    this.#byAttributes = new Array(dataset.meta.counts.attribute_sets).fill(undefined);
  }

  fieldsOf(match: Match): Fields {
    const record = recordNumber(match);
    const cached = this.#byRecord[record];
    if (cached !== undefined) return cached;
    const asn = this.#dataset.asnNumber(match);
    const { attributes, byAsn } = this.#groupOf(this.#dataset.attributesOf(match));
    const fields = getOrInsert(byAsn, asn, () => ({ asn, asn_name: this.#nameOf(asn, match), ...attributes }));
    this.#byRecord[record] = fields;
    return fields;
  }

  #groupOf(number: number): AttributeGroup {
    const cached = this.#byAttributes[number];
    if (cached !== undefined) return cached;
    const attributes = flatten(this.#dataset.attributes(number));
    const text = JSON.stringify(attributes);
    const group = getOrInsert(this.#byText, text, () => ({ attributes, byAsn: new Map() }));
    this.#byAttributes[number] = group;
    return group;
  }

  #nameOf(asn: number, match: Match): string {
    return getOrInsert(this.#names, asn, () => JSON.parse(`"${this.#dataset.escapedName(match)}"`) as string);
  }
}

function flatten({
  country,
  rir,
  connection_type,
  detection,
  threat,
}: ReturnType<Dataset['attributes']>): AttributeFields {
  const { ai_company, cloud_provider, ...flags } = detection;
  return {
    country,
    ...(rir && { rir }),
    connection_type,
    ...flags,
    ...(ai_company === undefined ? {} : { ai_company }),
    ...(cloud_provider === undefined ? {} : { cloud_provider }),
    threat_score: threat.score,
    threat_level: threat.level,
  };
}
