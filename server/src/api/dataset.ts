/** `GET /v1/dataset` and `GET /v1/dataset/diff`: what is served, which versions there are, and what changed between two of them. */
import { DEFAULT_DIFF_LIMIT, MAX_DIFF_LIMIT } from '@whence/dataset/diff';
import type { VersionEntry } from '@whence/dataset/publish';
import type { Counts, Figures, Refusal, Source } from '@whence/dataset/record';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DatasetDiffs } from '../dataset-diffs.ts';
import type { LiveDataset } from '../live-dataset.ts';
import { elapsedMs, envelope, sendJson } from './envelope.ts';
import { ApiError } from './errors.ts';
import { requireDataset } from './ip.ts';

export type PublishedVersion = { version: number; built_at: string; bytes: number; current: boolean };

export type DatasetReport = {
  version: number;
  built_at: string;
  age_seconds: number;
  sources: Source[];
  counts: Counts;
  versions: PublishedVersion[];
  /** What the version covers and how far its sources agree. */
  figures: Figures;
  /** Feeds whose newest copy was not used, and why. */
  refused: Refusal[];
};

export function getDataset(live: LiveDataset, nowMs: () => number) {
  return (request: FastifyRequest) => {
    const { dataset, version, builtAtMs } = requireDataset(live);
    const { built_at, sources, counts, figures, refused } = dataset.meta;
    const report: DatasetReport = {
      version,
      built_at,
      age_seconds: Math.max(0, Math.floor((nowMs() - builtAtMs) / 1000)),
      sources: [...sources],
      counts,
      versions: live.versions.map((entry) => ({
        version: entry.version,
        built_at: entry.built_at,
        bytes: entry.bytes,
        // What is served, also when the manifest names a version that cannot be opened.
        current: entry.version === version,
      })),
      figures,
      refused: [...refused],
    };
    return envelope(request, report);
  };
}

type DiffRequest = FastifyRequest<{ Querystring: { from?: string; to?: string; limit?: string } }>;

export function getDatasetDiff(live: LiveDataset, diffs: DatasetDiffs) {
  return async (request: DiffRequest, reply: FastifyReply) => {
    const { query } = request;
    const [from, to] = [parseVersion(query.from), parseVersion(query.to)];
    const limit = parseLimit(query.limit);
    requireDataset(live);
    const outcome = await diffs.diff(findVersion(live, from), findVersion(live, to), limit);
    if (outcome.kind === 'refused') throw new ApiError('OVERLOADED', { headers: { 'Retry-After': '5' } });
    if (outcome.kind === 'failed') throw new ApiError('DATASET_UNAVAILABLE', { headers: { 'Retry-After': '60' } });
    const meta = `,"meta":{"processing_time_ms":${elapsedMs(request)}}}`;
    return sendJson(reply, Buffer.concat([Buffer.from('{"data":'), outcome.json, Buffer.from(meta)]));
  };
}

function findVersion(live: LiveDataset, version: number): VersionEntry {
  const entry = live.versions.find((candidate) => candidate.version === version);
  if (entry === undefined) throw new ApiError('VERSION_NOT_FOUND');
  return entry;
}

function parseVersion(text = ''): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new ApiError('INVALID_VERSION');
  return Number(text);
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_DIFF_LIMIT;
  if (!/^[0-9]+$/.test(text) || Number(text) === 0) throw new ApiError('INVALID_LIMIT');
  return Math.min(Number(text), MAX_DIFF_LIMIT);
}
