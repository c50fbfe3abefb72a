/** Ours, with the calls that the server makes for an address. */
import { parseAddress } from '@whence/dataset/address';
import { recordBytes, writeRecord } from '@whence/dataset/json-writer';
import type { Dataset } from '@whence/dataset/read';
import type { Contestant } from './contest.ts';

export function whenceLookup(dataset: Dataset): Contestant {
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

export function whenceJson(dataset: Dataset): Contestant {
  return {
    name: 'whence',
    run: (texts) => {
      let sum = 0;
      for (const text of texts) {
        const json = whenceAnswer(dataset, text);
        // Reading a character joins the pieces that the text was put together from. Without it we would be timed for an answer
        // that is not yet written, while JSON.stringify returns a whole one.
        sum += json.length + json.charCodeAt(json.length - 1);
      }
      return sum;
    },
  };
}

/** Into a buffer that is used again for the next answer, as the server does for a batch. */
export function whenceJsonBytes(dataset: Dataset): Contestant {
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

/** `{}` for what is not routed, which no text of the benchmark is. */
export function whenceAnswer(dataset: Dataset, text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return '{}';
  const match = dataset.find(address);
  return match === 0 ? '{}' : dataset.json(address, match);
}
