/** A request per kind of route, and the status of its answer. */
export type Route = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly status: number;
};

export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/v1/ip/8.8.8.8', status: 200 },
  { method: 'GET', path: '/v1/ip/8.8.8.8?explain=true', status: 200 },
  { method: 'GET', path: '/v1/ip/8.8.8', status: 400 },
  { method: 'POST', path: '/v1/ip/batch', body: '{"ips":["8.8.8.8","1.1.1.1"]}', status: 200 },
  { method: 'GET', path: '/v1/asn/15169', status: 200 },
  { method: 'GET', path: '/v1/asn/search?q=google', status: 200 },
  { method: 'GET', path: '/v1/dataset', status: 200 },
  { method: 'GET', path: '/openapi.json', status: 200 },
  { method: 'GET', path: '/healthz', status: 200 },
  { method: 'GET', path: '/dashboard/api/session', status: 200 },
  { method: 'GET', path: '/no/such/route', status: 404 },
];
