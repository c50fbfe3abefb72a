/** Several addresses in the lookup field, which are looked up as a batch. */
import { parseAddress } from '@whence/dataset/address';

/** `text` is what the batch reads, `words` says what it is. */
export type Several = { readonly text: string; readonly words: string };

/** Pasted text with more than one line. What the lines contain is left to the batch, which reads logs too. */
export function pastedLines(text: string): Several | undefined {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '').length;
  return lines < 2 ? undefined : { text, words: `batch of ${lines.toLocaleString('en')} lines` };
}

/** Addresses on one line, separated by spaces, commas or semicolons. */
export function typedAddresses(text: string): Several | undefined {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length < 2 || !words.every((word) => parseAddress(word) !== undefined)) return undefined;
  return { text, words: `batch of ${words.length} addresses` };
}
