/** Watched domains and reports in a browser. One part of it: `--test-name-pattern=reports`. */
import './mail.ts';
import './reports.ts';
import { closeAfterAll } from './shared-whence.ts';

closeAfterAll();
