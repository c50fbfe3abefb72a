/** The peer in Go beside this file. */
import { existsSync } from 'node:fs';
import { buildGoProgram, GOPATH, isGoInstalled } from '../../go-program.ts';

export function goMissing(): string | undefined {
  return isGoInstalled() && existsSync(`${GOPATH}/src/github.com/oschwald/maxminddb-golang`)
    ? undefined
    : 'Go is skipped: apt-get install -y golang-go golang-github-oschwald-maxminddb-golang-dev';
}

/** The path of the program. */
export const buildGoPeer = (folder: string): string =>
  buildGoProgram('http/peers/go-maxminddb.go', folder);
