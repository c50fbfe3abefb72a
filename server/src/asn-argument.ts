/** An AS number on the command line. */
import { parsePrefixedAsn } from '@whence/dataset/compile/as-number';
import { UsageError } from './terminal.ts';

export function asnArgument(text: string): number {
  const asn = parsePrefixedAsn(text);
  if (asn === undefined) throw new UsageError(`invalid ASN: ${JSON.stringify(text)}`);
  return asn;
}
