/** Programs of the system that a benchmark may use, and a port for those that cannot choose one. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** Also in the folders for administrators, where nginx is. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
