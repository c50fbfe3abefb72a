/** Whence, with the same calls as the server. */
import { parseAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { recordBytes, writeRecord } from '@whence/dataset/record-writer';
import type { Candidate } from './interleaved-rates.ts';

export function whenceLookup(dataset: Dataset): Candidate {
  return {
    name: 'whence',
    run: (texts) => {
      let sum = 0;
      for (const text of texts) {
        const address = parseAddress(text);
        if (address !== undefined) sum += dataset.find(address);
      }
      return sum;
    },
  };
}

export function whenceJson(dataset: Dataset): Candidate {
  return {
    name: 'whence',
    run: (texts) => {
      let sum = 0;
      for (const text of texts) {
        const json = whenceAnswer(dataset, text);
        // Reading a character flattens the concatenated string. Without it the answer would not be
        // complete, while JSON.stringify returns a flat string.
        sum += json.length + json.charCodeAt(json.length - 1);
      }
      return sum;
    },
  };
}

/** Into a reused buffer, as the server does for a batch. */
export function whenceJsonBytes(dataset: Dataset): Candidate {
  let buffer = Buffer.allocUnsafe(4096);
  return {
    name: 'whence',
    run: (texts) => {
      let sum = 0;
      for (const text of texts) {
        const address = parseAddress(text);
        if (address === undefined) continue;
        const match = dataset.find(address);
        if (match === 0) continue;
        const size = recordBytes(dataset, match);
        if (size > buffer.length) buffer = Buffer.allocUnsafe(2 * size);
        sum += writeRecord(dataset, address, match, buffer, 0);
      }
      return sum;
    },
  };
}

export function whenceCountry(dataset: Dataset, text: string): string | undefined {
  const { country } = JSON.parse(whenceAnswer(dataset, text)) as { country?: string };
  return country;
}

/** `{}` for an address that is not announced, which does not occur in the benchmarks. */
export function whenceAnswer(dataset: Dataset, text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return '{}';
  const match = dataset.find(address);
  return match === 0 ? '{}' : dataset.json(address, match);
}
