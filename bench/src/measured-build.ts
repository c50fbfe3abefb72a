/** Child of the benchmark: builds the dataset as the command line does and prints the most memory that it ever held. */
import { run } from 'whence/dist/main.js';

const [dataDir] = process.argv.slice(2);
const messages: string[] = [];
const output = { write: (text: string) => messages.push(text) };
const exitCode = await run(['dataset', 'build'], { WHENCE_DATA_DIR: dataDir }, output, output);
if (exitCode !== 0) throw new Error(`dataset build ended with ${exitCode}: ${messages.join('')}`);
process.stdout.write(JSON.stringify({ peakKilobytes: process.resourceUsage().maxRSS }));
