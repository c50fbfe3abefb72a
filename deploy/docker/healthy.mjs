// Exits with 0 if the server of this container runs, with 1 if not. It asks /healthz and not
// /readyz, because an unreachable database is no reason to restart the server; upgrade.sh gives the
// other path.
const path = process.argv[2] ?? '/healthz';
const url = `http://127.0.0.1:${process.env.WHENCE_PORT ?? 8080}${path}`;
const isHealthy = await fetch(url, { signal: AbortSignal.timeout(2_500) }).then(
  (response) => response.ok,
  () => false,
);
process.exit(isHealthy ? 0 : 1);
