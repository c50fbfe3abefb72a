/**
 * Makes a process a program of the next release, which writes dataset files of format 7 and also reads format 6: for
 * `node --import`. The content is the same, so converting is a change of the header.
 */
import { register } from 'node:module';

register('./next-format-hooks.js', import.meta.url);
