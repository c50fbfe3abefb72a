/**
 * Everything that is tested in a browser, in one process: starting Chromium and a server takes longer than most tests.
 * One part of it: `--test-name-pattern=keyboard`.
 */
import './accounts.ts';
import './every-page.ts';
import './figures.ts';
import './keyboard-paths.ts';
import './keys.ts';
import './lookups.ts';
import './one-subject.ts';
import './palette.ts';
import './public-lookups.ts';
import './reference.ts';
import './reports.ts';
// Last: it fills the table of keys.
import './many-keys.ts';
import { closeAfterAll } from './shared-whence.ts';

closeAfterAll();
