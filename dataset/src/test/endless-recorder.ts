/**
 * Publishes versions and records their history until it is killed. Started by a test, with the data directory as its
 * argument. Prints a line when the first is recorded.
 */
import { keepVersions } from '../history/record-history.ts';
import { publish, readManifest } from '../versions/publish.ts';
import { sampleContent } from './sample-dataset.ts';

const [, , dataDir = ''] = process.argv;
for (let isFirst = true; ; isFirst = false) {
  const number = Math.max(0, ...(readManifest(dataDir)?.versions.map(({ version }) => version) ?? [])) + 1;
  const now = new Date(Date.UTC(2026, 0, number, 12));
  publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, `Version ${number}`]] }), now);
  keepVersions(dataDir, 1000, now);
  if (isFirst) process.stdout.write('recorded\n');
}
