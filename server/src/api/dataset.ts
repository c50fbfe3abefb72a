/**
 * `GET /v1/dataset` and `GET /v1/dataset/diff`: the dataset in use, the published versions, and what changed between two
 * of them.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { envelope, sendJsonData } from '../http/envelope.ts';
import type { RequestOf } from '../http/json-schema.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import type { DatasetDiffs } from '../versions/dataset-diffs.ts';
import { datasetReport } from '../versions/dataset-report.ts';
import { diffVersions } from '../versions/diff-request.ts';
import { requesterOf } from './admit.ts';
import type { datasetDiffSchema } from './schemas/dataset-diff.ts';

export function getDataset(live: LiveDataset, nowMs: () => number) {
  return (request: FastifyRequest) => envelope(request, datasetReport(requireDataset(live), live.versions, nowMs()));
}

export function getDatasetDiff(live: LiveDataset, diffs: DatasetDiffs) {
  return async (request: RequestOf<typeof datasetDiffSchema>, reply: FastifyReply) =>
    sendJsonData(request, reply, await diffVersions(live, diffs, request.query, requesterOf(request, reply)));
}
