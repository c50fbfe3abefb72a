/** Builds the peer in Go from the source beside this file. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@whence/testing/programs';

/** Where Debian puts the sources of Go libraries. */
const GOPATH = '/usr/share/gocode';

export function goMissing(): string | undefined {
  return findProgram('go') && existsSync(`${GOPATH}/src/github.com/oschwald/maxminddb-golang`)
    ? undefined
    : 'Go is skipped: apt-get install -y golang-go golang-github-oschwald-maxminddb-golang-dev';
}

/** The path of the program. */
export function buildGoPeer(folder: string): string {
  // tsc does not copy .go files to dist.
  const source = fileURLToPath(new URL('../../../src/http/peers/go-maxminddb.go', import.meta.url));
  const program = join(folder, 'go-maxminddb');
  execFileSync('go', ['build', '-o', program, source], {
    env: { PATH: process.env['PATH'], HOME: folder, GOPATH, GO111MODULE: 'off', GOCACHE: join(folder, 'go-cache') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return program;
}
