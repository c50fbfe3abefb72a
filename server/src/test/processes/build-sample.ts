/**
 * `node build-sample.js DIR FOLDER NAME`: builds a small dataset in which 8.8.8.8 has this name,
 * and publishes it to the folder, as the program that runs it.
 */

import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { publishTo } from '@whence/dataset/versions/publish-to';

const [, , dataDir = '', folder = '', name = ''] = process.argv;
publish(dataDir, sampleContent({ routes: [['8.8.8.0/24', 15169, name]] }), new Date());
publishTo(dataDir, folder, { keep: 3 });
