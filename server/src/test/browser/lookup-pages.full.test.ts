/** Lookups and the lookup field in a browser. One part of it: `--test-name-pattern=palette`. */
import './lookups.ts';
import './one-subject.ts';
import './palette.ts';
import './public-lookups.ts';
import './reference.ts';
import { closeAfterAll } from './shared-whence.ts';

closeAfterAll();
