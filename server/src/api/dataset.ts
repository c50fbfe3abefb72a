/**
 * `GET /v1/dataset` and `GET /v1/dataset/diff`: what is served, which versions there are, and what changed between two
 * of them.
 */
import { DEFAULT_DIFF_LIMIT, MAX_DIFF_LIMIT } from '@whence/dataset/diff-limit';
import type { VersionEntry } from '@whence/dataset/publish';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { elapsedMs, envelope, sendJson } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { DatasetDiffs } from '../lookup/dataset-diffs.ts';
import { datasetReport } from '../lookup/dataset-report.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from './ip.ts';

export function getDataset(live: LiveDataset, nowMs: () => number) {
  return (request: FastifyRequest) => envelope(request, datasetReport(requireDataset(live), live.versions, nowMs()));
}

type DiffRequest = FastifyRequest<{ Querystring: { from?: string; to?: string; limit?: string } }>;

export function getDatasetDiff(live: LiveDataset, diffs: DatasetDiffs) {
  return async (request: DiffRequest, reply: FastifyReply) => {
    const { query } = request;
    const [from, to] = [parseVersion(query.from), parseVersion(query.to)];
    const limit = parseLimit(query.limit);
    requireDataset(live);
    const outcome = await diffs.diff(findVersion(live, from), findVersion(live, to), limit, request.key?.id ?? '');
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
