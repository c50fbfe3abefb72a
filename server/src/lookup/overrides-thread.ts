/** A thread that parses overrides, hands them over and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Overrides, parseOverrides } from '@whence/dataset/overrides';
import { checksumOf } from '../checksum.ts';

const PARSE_MS = 10_000;

export type ReadOverrides = { readonly overrides: Overrides; readonly checksum: string };

const { content, day } = workerData as { content: Uint8Array; day: string };
parentPort?.postMessage(PARSE_MS);
const overrides = parseOverrides(new TextDecoder().decode(content), day);
parentPort?.postMessage({ overrides, checksum: checksumOf([content]) } satisfies ReadOverrides);
