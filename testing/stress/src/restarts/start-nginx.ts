/** nginx in front of two replicas, as deploy/nginx.conf has it, without TLS. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANY_CORE, type PinnedProcesses } from '@whence/testing/pinned-processes';
import { freePort } from '@whence/testing/programs';

/** Returns its port. */
export async function startNginx(
  processes: PinnedProcesses,
  program: string,
  folder: string,
  upstreams: readonly number[],
): Promise<number> {
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder};`,
  );
  const servers = upstreams.map((upstream) => `server 127.0.0.1:${upstream} max_fails=0;`);
  const path = join(folder, 'nginx.conf');
  writeFileSync(
    path,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  ${places.join(' ')}
  upstream whence { ${servers.join(' ')} keepalive 32; keepalive_timeout 60s; }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 1000000;
    location / {
      proxy_pass http://whence;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
    }
  }
}
`,
  );
  await processes.startSilent(
    ANY_CORE,
    program,
    ['-c', path, '-e', join(folder, 'error.log')],
    `http://127.0.0.1:${port}/healthz`,
  );
  return port;
}
