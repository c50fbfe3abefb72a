/** A small published dataset to export, and the command that exports it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Dataset } from '@whence/dataset/dataset';
import { BUILT_AT, type Sample, sampleContent } from '@whence/dataset/test/sample-dataset';
import { openCurrent, publish } from '@whence/dataset/versions';
import { type Outcome, runCommand } from '../run-command.ts';

const EXPORT_SAMPLE: Sample = {
  routes: [
    ['1.0.0.0/16', 64500, 'Exämple "Nord", GmbH'],
    ['1.0.4.0/24', 64501, 'More Specific'],
    ['2.0.1.0-2.0.4.255', 64502, 'Ranges'],
    ['2.0.5.0/24', 64503, 'Next to Ranges'],
    ['3.0.0.0/8', 16509, 'Amazon.com, Inc.'],
    ['5.0.0.0/24', 209854, 'Surfshark Ltd.'],
    ['6.0.0.0/25', 64507, 'Two Halves'],
    ['6.0.0.128/25', 64507, 'Two Halves'],
    ['8.8.8.0/24', 15169, 'Google LLC'],
    ['223.255.255.0/24', 64504, 'Near the End'],
    ['2a00::/32', 64500, 'Exämple "Nord", GmbH'],
    ['2a00:0:0:1::8/125', 64506, 'Inside a /64'],
    ['2a00:ffff::/32', 64502, 'Ranges'],
    ['2001:4860::/32', 15169, 'Google LLC'],
  ],
  countries: [
    ['1.0.0.0/17', 'DE'],
    ['2.0.0.0/16', 'CH'],
    ['3.0.0.0/8', 'US'],
    ['5.0.0.0/24', 'NL'],
    ['8.8.8.0/24', 'US'],
    ['223.255.255.0/24', 'AU'],
    ['2a00::/16', 'FR'],
    ['2001:4860::/32', 'US'],
  ],
  delegated: [
    ['1.0.0.0/16', 'AU'],
    ['2a00::/16', 'SE'],
  ],
  crawlers: [['3.0.0.16/28', 'OpenAI']],
  tor: [['1.0.9.9/32', 'Relay Friends']],
};

export class ExportSample {
  readonly folder = mkdtempSync(join(tmpdir(), 'whence-export-'));
  readonly dataDir = join(this.folder, 'data');
  readonly dataset: Dataset;

  constructor(sample: Sample = EXPORT_SAMPLE) {
    publish(this.dataDir, sampleContent(sample), BUILT_AT);
    const dataset = openCurrent(this.dataDir);
    if (dataset === undefined) throw new Error('nothing was published');
    this.dataset = dataset;
    after(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** `wh dataset export …` in this process. */
  export(...argv: string[]): Promise<Outcome> {
    return this.whence('dataset', 'export', ...argv);
  }

  whence(...argv: string[]): Promise<Outcome> {
    return runCommand(argv, { WHENCE_DATA_DIR: this.dataDir });
  }
}
