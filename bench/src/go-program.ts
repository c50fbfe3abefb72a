/** Builds peers in Go from their sources in this package. */
import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@whence/testing/programs';

/** Where Debian puts the sources of Go libraries. */
export const GOPATH = '/usr/share/gocode';

export const isGoInstalled = () => findProgram('go') !== undefined;

/**
 * The path of the program. `source` is below src, such as `http/peers/peer.go`: tsc does not copy
 * it to dist.
 */
export function buildGoProgram(source: string, folder: string): string {
  const program = join(folder, basename(source, '.go'));
  execFileSync(
    'go',
    ['build', '-o', program, fileURLToPath(new URL(`../src/${source}`, import.meta.url))],
    {
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        GOPATH,
        GO111MODULE: 'off',
        GOCACHE: join(folder, 'go-cache'),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  return program;
}
