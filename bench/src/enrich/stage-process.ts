/**
 * Child process: `stage-process.js FILE STAGE [DATA_DIR]` does the first stages of `wh enrich` over
 * lines and no more, each with those before it: `copy` reads and writes, `find` also finds the
 * address of each line, `lookup` also looks it up. The number of addresses goes to standard error.
 */
import { createReadStream, writeSync } from 'node:fs';
import { AddressFinder } from '@whence/dataset/find-address';
import { openCurrent } from '@whence/dataset/versions';

const CHUNK_BYTES = 1 << 18;
const LINE_BREAK = 0x0a;
const STDOUT = 1;

const [file = '', stage = 'copy', dataDir = ''] = process.argv.slice(2);
const dataset = stage === 'lookup' ? openCurrent(dataDir) : undefined;
const finder = new AddressFinder();
let found = 0;

/** A line that is cut by the end of a chunk counts as two: that is one of thousands. */
function readLines(chunk: Buffer): void {
  for (let start = 0; start < chunk.length; ) {
    const lineBreak = chunk.indexOf(LINE_BREAK, start);
    const end = lineBreak < 0 ? chunk.length : lineBreak;
    const address = finder.next(chunk, start, end);
    if (address !== undefined && (dataset === undefined || dataset.find(address) !== 0)) found++;
    start = end + 1;
  }
}

for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
  if (stage !== 'copy') readLines(chunk);
  writeSync(STDOUT, chunk);
}
process.stderr.write(`${JSON.stringify({ found })}\n`);
