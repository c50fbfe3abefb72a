/**
 * Publishes one version after another until it is killed. Started by a test, with the data
 * directory as its argument.
 */
import { publish } from '../versions/publish.ts';
import { sampleContent } from './sample-dataset.ts';

const [, , dataDir = ''] = process.argv;
process.stdout.write('started\n');
for (let i = 0; ; i++)
  publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, `Version ${i}`]] }), new Date());
