/** Accounts, keys and their figures in a browser. One part of it: `--test-name-pattern=figures`. */
import './accounts.ts';
import './figures.ts';
import './keyboard-paths.ts';
import './keys.ts';
// Last: it fills the table of keys.
import './many-keys.ts';
import { closeAfterAll } from './shared-whence.ts';

closeAfterAll();
