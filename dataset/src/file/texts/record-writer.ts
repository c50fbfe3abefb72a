/** Writes a record as JSON into a buffer that the caller reuses: the text of `Dataset.json` without making strings. */
import { type Address, truncateAddress, wordMask } from '../../address.ts';
import { type Match, prefixLength, recordNumber } from '../format.ts';
import type { Dataset } from '../read.ts';
import { inWords, writeIPv4, writeIPv6, writeNumber, writeOctet, writeRange, writeWords } from './ascii-writer.ts';

const SLASH = 0x2f;
const CLOSE = 0x7d;

const BEFORE_IP = inWords('{"ip":"');
const BEFORE_PREFIX = inWords('","prefix":"');
const BEFORE_ASN = inWords('","asn":');
const BEFORE_NAME = inWords(',"asn_name":"');
const BEFORE_ATTRIBUTES = inWords('",');

/** The maximum size of everything in a record except the name and the two fragments after the country. */
const FRAME_BYTES = 256;

export function recordBytes(dataset: Dataset, match: Match): number {
  const kept = dataset.recordTexts.find(recordNumber(match));
  if (kept !== undefined) return FRAME_BYTES + kept.length;
  const text = dataset.textOf(match);
  const fragments = dataset.textFragment(text, 1).length + dataset.textFragment(text, 2).length;
  return FRAME_BYTES + dataset.networks.nameLengthAt(dataset.rowOf(match)) + fragments;
}

/** Writes at offset `at` and returns the offset after the record. The buffer must have room for `recordBytes`. */
export function writeRecord(dataset: Dataset, address: Address, match: Match, target: Buffer, at: number): number {
  const length = prefixLength(match);
  let end = writeWords(BEFORE_IP, target, at);
  if (address.version === 4) {
    end = writeIPv4(address.w0, target, end);
    end = writeWords(BEFORE_PREFIX, target, end);
    end = writeIPv4(address.w0 & wordMask(length), target, end);
  } else {
    end = writeIPv6(address, target, end);
    end = writeWords(BEFORE_PREFIX, target, end);
    end = writeIPv6(truncateAddress(address, length), target, end);
  }
  target[end++] = SLASH;
  end = writeOctet(length, target, end);
  const record = recordNumber(match);
  const kept = dataset.recordTexts.find(record);
  if (kept !== undefined) {
    target.set(kept, end);
    return end + kept.length;
  }
  const start = end;
  end = writeFromAsn(dataset, match, target, start);
  dataset.recordTexts.offer(record, target, start, end);
  return end;
}

/** The part of the text that does not depend on the address. */
function writeFromAsn(dataset: Dataset, match: Match, target: Buffer, at: number): number {
  const { networks } = dataset;
  let end = writeWords(BEFORE_ASN, target, at);
  const row = dataset.rowOf(match);
  end = writeNumber(networks.numberAt(row), target, end);
  end = writeWords(BEFORE_NAME, target, end);
  const nameStart = networks.nameStartAt(row);
  end = writeRange(networks.text, nameStart, nameStart + networks.nameLengthAt(row), target, end);
  end = writeWords(BEFORE_ATTRIBUTES, target, end);
  const text = dataset.textOf(match);
  const country = dataset.textFragment(text, 0);
  end = writeRange(country, 0, country.length, target, end);
  const network = dataset.textFragment(text, 1);
  target.set(network, end);
  end += network.length;
  const threat = dataset.textFragment(text, 2);
  target.set(threat, end);
  end += threat.length;
  target[end++] = CLOSE;
  return end;
}
