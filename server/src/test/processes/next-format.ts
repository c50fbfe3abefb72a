/**
 * Makes a process a program of the next release, whose dataset files have format 6: for `node --import`. The content is
 * the same, so that converting is a change of the header. With `WHENCE_TEST_FORMATS=6` it knows that format only, with
 * `6,5` it also reads and writes format 5.
 */
import { register } from 'node:module';

register('./next-format-hooks.js', import.meta.url);
