/**
 * Aggregate reports that are accepted, each of them expensive by something else: the number of its
 * rows, their distinctness, their results, what is not read, or the number of files.
 */
import { gzipSync } from 'node:zlib';
import { seededRandom } from '@whence/testing/seeded-random';
import { zip } from '@whence/testing/zip';

const SEED = 20261119;
/** What a report may have. */
const ROWS = 200_000;
const RESULTS = 100;
const FILES = 1_000;
const UNPACKED_BYTES = 190 * 1024 * 1024;
/** Packed, they are nearly the 10 MiB of a body. */
const SIGNED_BYTES = 110 * 1024 * 1024;
const DAY_S = 86_400;

export type ExpensiveReport = {
  readonly what: string;
  readonly domain: string;
  /** Measured: seconds of processor time of all threads, for the import and for a judgement. */
  readonly seconds: readonly [imported: string, judged: string];
  make(domain: string): Buffer;
};

export const EXPENSIVE_REPORTS: readonly ExpensiveReport[] = [
  {
    what: '200,000 rows from as many addresses',
    domain: 'rows.example',
    seconds: ['9', '6'],
    make: (domain) =>
      packed(
        domain,
        rowsOf(ROWS, (i) => row(i, domain, '')),
      ),
  },
  {
    what: '200,000 rows, each from another name',
    domain: 'names.example',
    seconds: ['19', '10, then 503'],
    make: (domain) =>
      packed(
        domain,
        rowsOf(ROWS, (i) => row(i, `n${i}.${domain}`, '')),
      ),
  },
  {
    what: '100 signatures in each row',
    domain: 'signatures.example',
    seconds: ['23', '8, then 503'],
    make: (domain) =>
      packed(
        domain,
        rowsOf(ROWS, (i) => row(i, domain, signatures(i)), SIGNED_BYTES),
      ),
  },
  {
    what: '190 MiB of elements that are not read',
    domain: 'unknown.example',
    seconds: ['26', '0.5'],
    make: (domain) => packed(domain, rowsOf(ROWS, unknownElements), row(0, domain, '')),
  },
  {
    what: '1,000 files of 200 rows',
    domain: 'files.example',
    seconds: ['19', '5'],
    make: (domain) =>
      zip(
        Object.fromEntries(
          Array.from({ length: FILES }, (_, file) => [
            `${file}.xml`,
            report(
              domain,
              rowsOf(ROWS / FILES, (i) => row(file * 200 + i, domain, '')),
              file,
            ),
          ]),
        ),
      ),
  },
];

function packed(domain: string, ...content: readonly string[]): Buffer {
  return gzipSync(report(domain, content.join(''), 0), { level: 1 });
}

function report(domain: string, content: string, id: number): string {
  const begin = Math.floor(Date.now() / 1000 / DAY_S - 2) * DAY_S;
  return `<feedback><report_metadata><org_name>google.com</org_name><email>noreply@google.com</email><report_id>${id}</report_id><date_range><begin>${begin}</begin><end>${begin + DAY_S}</end></date_range></report_metadata><policy_published><domain>${domain}</domain></policy_published>${content}</feedback>`;
}

/** As many rows as a report may have, or as its size allows. */
function rowsOf(count: number, make: (i: number) => string, maxBytes = UNPACKED_BYTES): string {
  const rows: string[] = [];
  let bytes = 0;
  for (let i = 0; i < count && bytes < maxBytes; i++) {
    const text = make(i);
    bytes += text.length;
    rows.push(text);
  }
  return rows.join('');
}

/** An address that looks like no other, so that the report is not packed better than is allowed. */
function addressOf(i: number): string {
  const random = seededRandom(SEED + i);
  const octet = () => Math.floor(random() * 256);
  return `${1 + Math.floor(random() * 222)}.${octet()}.${octet()}.${octet()}`;
}

function row(i: number, name: string, results: string): string {
  return `<record><row><source_ip>${addressOf(i)}</source_ip><count>${1 + (i % 9)}</count></row><identifiers><header_from>${name}</header_from></identifiers><auth_results>${results}</auth_results></record>`;
}

function signatures(i: number): string {
  const random = seededRandom(SEED + i);
  return Array.from({ length: RESULTS }, () => {
    const selector = Math.floor(random() * 1e6);
    return `<dkim><domain>d${selector}.example</domain><selector>s${selector}</selector><result>fail</result></dkim>`;
  }).join('');
}

function unknownElements(i: number): string {
  return `<x${addressOf(i)}>${'<a></a>'.repeat(100)}</x${addressOf(i)}>`;
}
