/** AS number argument of a command. */
import { parsePrefixedAsn } from '@whence/dataset/as-number';
import { UsageError } from './exit.ts';

export function asnArgument(text: string): number {
  const asn = parsePrefixedAsn(text);
  if (asn === undefined) throw new UsageError(`invalid ASN: ${JSON.stringify(text)}`);
  return asn;
}
