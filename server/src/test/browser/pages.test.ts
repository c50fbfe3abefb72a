/**
 * Everything that is tested in a browser, in one process: starting Chromium and a server takes longer than most tests.
 * One part of it: `--test-name-pattern=keyboard`.
 */
import { after } from 'node:test';
import './accounts.ts';
import './every-page.ts';
import './keyboard-paths.ts';
import './keys.ts';
import './lookups.ts';
import './one-subject.ts';
import './palette.ts';
import './public-lookups.ts';
import './reference.ts';
// Last: it fills the table of keys.
import './many-keys.ts';
import { closeBrowser } from './browser.ts';
import { closeSharedWhence } from './shared-whence.ts';

after(async () => {
  try {
    await closeSharedWhence();
  } finally {
    // Also after a fault of a page: an open browser would keep the process running.
    await closeBrowser();
  }
});
