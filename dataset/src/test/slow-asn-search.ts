/** Search for networks by name, handle and number, slow and obvious: every name is looked at. */
import type { Dataset } from '../file/read.ts';

type Network = { readonly asn: number; readonly fields: readonly string[] };

export class SlowAsnSearch {
  readonly #networks: readonly Network[];

  /** In the order of the results: the largest network first, then by row. */
  constructor(dataset: Dataset) {
    this.#networks = Array.from({ length: dataset.networks.count }, (_, row) => {
      const { asn, asn_name, handle, address_count } = dataset.networks.at(row);
      return {
        asn,
        fields: handle === undefined ? [asn_name] : [asn_name, handle],
        size: address_count.ipv4,
      };
    })
      .sort((a, b) => b.size - a.size)
      .map(({ asn, fields }) => ({ asn, fields: fields.map(withoutCaseAndAccents) }));
  }

  search(query: string, limit: number): { total: number; asns: number[] } {
    const wanted = withoutCaseAndAccents(query).trim();
    if (wanted === '') return { total: 0, asns: [] };
    const number = /^(as)?[0-9]{1,10}$/.test(wanted) ? Number(wanted.replace('as', '')) : undefined;
    const found = this.#networks
      .map(({ asn, fields }) => ({ asn, rank: asn === number ? -1 : bestRank(fields, wanted) }))
      .filter(({ rank }) => rank < NONE)
      .sort((a, b) => a.rank - b.rank);
    return { total: found.length, asns: found.slice(0, limit).map(({ asn }) => asn) };
  }
}

const EXACT = 0;
const NAME_BEGINS = 1;
const WORD_BEGINS = 2;
const INSIDE = 3;
const NONE = 4;

function bestRank([name = '', ...others]: readonly string[], wanted: string): number {
  return Math.min(
    rank(name, wanted, NAME_BEGINS),
    ...others.map((handle) => rank(handle, wanted, WORD_BEGINS)),
  );
}

function rank(field: string, wanted: string, whenItBegins: number): number {
  if (!field.includes(wanted)) return NONE;
  if (field === wanted) return EXACT;
  if (field.startsWith(wanted)) return whenItBegins;
  for (let at = field.indexOf(wanted); at > 0; at = field.indexOf(wanted, at + 1)) {
    if (!/[a-z0-9\u0080-\uffff]/.test(field.charAt(at - 1))) return WORD_BEGINS;
  }
  return INSIDE;
}

const withoutCaseAndAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\t\n]/g, ' ')
    .toLowerCase();
