/** A folder in which nginx runs as one process in the foreground, with files of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the arguments of nginx. `main` and `http` are directives of these contexts. */
export function writeNginxConfiguration(folder: string, http: string, main = ''): string[] {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'nginx.conf');
  writeFileSync(
    path,
    `${main}
daemon off;
master_process off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 100000000;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${http}}
`,
  );
  return ['-c', path, '-e', join(folder, 'error.log')];
}
