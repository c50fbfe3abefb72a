import assert from 'node:assert/strict';
import test from 'node:test';
import { openTestStorage } from '../test/storage/engines.ts';
import { TestFolder } from '../test/test-server.ts';
import { ReplicaVersions } from './process-reports.ts';

const SAME = {
  datasetVersion: 1,
  rulesChecksum: 'a',
  overridesChecksum: '',
  settingsChecksum: 's',
};

for (const [behaviour, processes, gauges] of [
  ['none', [], [0, 0, 0, 0]],
  ['alike', [SAME, SAME, SAME], [0, 0, 0, 0]],
  ['one with other rules', [SAME, SAME, { ...SAME, rulesChecksum: 'b' }], [0, 1, 0, 0]],
  ['two, of which one has no overrides', [SAME, { ...SAME, overridesChecksum: 'c' }], [0, 0, 1, 0]],
  [
    'three that differ in all',
    ['x', 'y', 'z'].map((text, i) => ({
      datasetVersion: i,
      rulesChecksum: text,
      overridesChecksum: text,
      settingsChecksum: text,
    })),
    [2, 2, 2, 2],
  ],
] as const)
  test(`processes of a deployment: ${behaviour}`, async () => {
    const folder = new TestFolder();
    const storage = await openTestStorage(folder.dataDir);
    try {
      for (const [pid, one] of processes.entries()) {
        const at = new Date();
        const fixed = {
          id: String(pid),
          host: 'a',
          pid,
          startedAt: at,
          seenAt: at,
          machineAt: at,
          memoryBytes: 1,
          lagMs: 0,
        };
        await storage.processes.report({ ...fixed, ...one });
      }
      const replicas = new ReplicaVersions(storage.processes, Date.now);
      await replicas.refresh();
      const found = replicas.gauges();
      const differing = ['rules', 'overrides', 'settings'].map(
        (of) => found[`whence_deployment_processes_differing{of="${of}"}`],
      );
      assert.deepEqual([found['whence_deployment_processes_behind'], ...differing], gauges);
    } finally {
      await storage.close();
      folder.remove();
    }
  });
