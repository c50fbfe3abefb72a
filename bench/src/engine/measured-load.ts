/**
 * Child process: opens a dataset, looks up every line of a file of addresses, prints time and
 * memory.
 */
import { createReadStream } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { openDataset } from '@whence/dataset/dataset';
import { whenceAnswer } from './whence.ts';

export type LoadMeasure = { readonly loadMs: number; readonly residentBytes: number };

const [datasetFile = '', textFile = ''] = process.argv.slice(2);
const started = performance.now();
const dataset = openDataset(datasetFile);
const loadMs = performance.now() - started;
// Line by line, so that the texts do not count towards the memory.
for await (const text of createInterface({ input: createReadStream(textFile) }))
  whenceAnswer(dataset, text);
const measure: LoadMeasure = { loadMs, residentBytes: process.memoryUsage.rss() };
process.stdout.write(JSON.stringify(measure));
