/**
 * Makes a process a program of the next release, which reads and writes dataset files of format 8:
 * for `node --import`. The content is the same.
 */
import { register } from 'node:module';

register('./next-format-hooks.js', import.meta.url);
