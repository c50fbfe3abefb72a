/** `GET /v1/dataset`: the same document until the dataset, its versions or the day change. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { envelopeText, JSON_TYPE } from '../http/envelope.ts';
import { StaticDocument } from '../http/static-document.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import { packageVersion } from '../version.ts';
import { datasetReport } from '../versions/dataset-report.ts';

type DatasetDependencies = {
  readonly live: Pick<LiveDataset, 'current' | 'versions'>;
  readonly nowMs: () => number;
};

export function getDataset({ live, nowMs }: DatasetDependencies) {
  let last: { readonly text: string; readonly document: StaticDocument } | undefined;
  return (request: FastifyRequest, reply: FastifyReply) => {
    const text = JSON.stringify(datasetReport(requireDataset(live), live.versions, nowMs()));
    if (last?.text !== text) {
      // It takes less than a millisecond, and the document does not change by how long.
      const bytes = Buffer.from(envelopeText(text, { processing_time_ms: 0 }));
      last = { text, document: new StaticDocument(bytes, text + packageVersion()) };
    }
    return last.document.send(request, reply, { type: JSON_TYPE });
  };
}
