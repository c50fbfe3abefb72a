/** Peer: nginx with the geoip2 module, the record as a template; no key, no counting. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, freePort } from '@whence/testing/programs';
import { writeNginxConfiguration } from '../nginx-configuration.ts';

const MODULE = '/usr/lib/nginx/modules/ngx_http_geoip2_module.so';

export function nginxGeoip2Missing(): string | undefined {
  return findProgram('nginx') && existsSync(MODULE)
    ? undefined
    : 'nginx with geoip2 is skipped: apt-get install -y nginx-light libnginx-mod-http-geoip2';
}

const FLAGS = ['datacenter', 'tor_exit', 'proxy', 'vpn', 'residential', 'mobile', 'ai_crawler'].map(
  (flag) => `is_${flag}`,
);

/** The arguments of nginx, and its port. It runs as one process, in the foreground. */
export async function nginxGeoip2(
  folder: string,
  mmdb: string,
): Promise<{ args: string[]; port: number }> {
  const port = await freePort();
  // The module has no booleans: they come as 0 and 1.
  const values = [
    ['country', 'country iso_code'],
    ['asn', 'autonomous_system_number'],
    ['org', 'autonomous_system_organization'],
    ['rir', 'rir'],
    ['connection', 'connection_type'],
    ['provider', 'detection cloud_provider'],
    ['company', 'detection ai_company'],
    ['score', 'threat score'],
    ['level', 'threat level'],
    ...FLAGS.map((flag) => [flag, `detection ${flag}`]),
  ];
  const detection = FLAGS.map((flag) => `"${flag}":$w_${flag}`).join(',');
  const body =
    '{"ip":"$ip","country":{"iso_code":"$w_country"},"autonomous_system_number":$w_asn,' +
    '"autonomous_system_organization":"$w_org","rir":"$w_rir","connection_type":"$w_connection",' +
    `"detection":{${detection},"ai_company":"$w_company","cloud_provider":"$w_provider"},` +
    '"threat":{"score":$w_score,"level":"$w_level"}}';
  const http = `
  geoip2 ${mmdb} {
${values.map(([name, place]) => `    $w_${name} source=$ip ${place};`).join('\n')}
  }
  server {
    listen 127.0.0.1:${port};
    location ~ "^/v1/ip/(?<ip>[0-9a-fA-F:.]+)$" {
      default_type "application/json; charset=utf-8";
      return 200 '${body}';
    }
  }
`;
  return {
    args: writeNginxConfiguration(join(folder, 'nginx-geoip2'), http, `load_module ${MODULE};`),
    port,
  };
}
