// `wh mcp`: MCP on standard input and output from the local dataset, without server, key or limits.
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { HostnameLookups } from '../address/hostname-lookups.ts';
import { AddressSections } from '../address/sections.ts';
import { parseBatchBodies } from '../api/batch/batch.ts';
import type { RouteDependencies } from '../api/dependencies.ts';
import { serveStdio } from '../api/mcp/stdio.ts';
import { apiRoutes } from '../api/routes.ts';
import { EmailChecks } from '../email-checks/email-checks.ts';
import { LiveGeoipFiles } from '../geoip-files/live-geoip-files.ts';
import { createHttpServer } from '../http/server/http-server.ts';
import { fromStored } from '../keys/key.ts';
import { type Logger, openLog } from '../log/log.ts';
import { EventLoopSlices } from '../lookup/event-loop-slices.ts';
import { LiveDataset } from '../lookup/live-dataset.ts';
import { LiveLocations, LOCATIONS_REFUSED } from '../lookup/live-locations.ts';
import { PrefixContents } from '../lookup/prefix-contents.ts';
import { threatKnownBy } from '../lookup/threat-gap.ts';
import { Metrics } from '../metrics/metrics.ts';
import type { Config } from '../settings/config.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { type Output, StreamSink } from '../terminal/output.ts';
import { PastLookups } from '../versions/past-lookups.ts';
import { PERMISSIONS } from '../vocabulary.ts';
import type { IpConfig } from './ip-sections.ts';
import { currentEntry } from './local-dataset.ts';
import { openRpkiSource } from './rpki-source.ts';

/** The limits of this tier are the largest; nothing is counted. */
const LOCAL_KEY = fromStored({
  id: 'local',
  name: 'wh mcp',
  hash: '',
  masked: '',
  permissions: PERMISSIONS,
  tier: 'enterprise',
  createdAt: new Date(0),
});

export async function mcpCommand(
  config: IpConfig & Pick<Config, 'hasSmtpProbe'>,
  stdin: Readable,
  stdout: Output,
): Promise<ExitCode> {
  // Says how to build one, before a client waits for answers.
  currentEntry(config.dataDir);
  // Standard output belongs to the protocol; the log is on standard error.
  const { logger, flush } = openLog('warn');
  const live = new LiveDataset(config.dataDir, {
    loaded: () => {},
    failed: (error) =>
      logger.error({ err: error }, 'the current dataset could not be loaded; retrying'),
    fellBack: (version) => logger.warn({ version }, 'using another version of the dataset instead'),
  });
  live.start();
  const emailChecks = new EmailChecks(config.dnsServers, {
    ...(config.hasSmtpProbe && { smtp: {} }),
  });
  const past = new PastLookups(config.dataDir, { failed: () => {}, tookTooLong: () => {} });
  const locations = new LiveLocations(config, {
    loaded: () => {},
    refused: (reason) => logger.error({ reason }, LOCATIONS_REFUSED),
  });
  await locations.start();
  const addressSections = new AddressSections({
    hostnames: new HostnameLookups(() => emailChecks.dnsClient()),
    rpki: await openRpkiSource(config),
    locations,
  });
  const slices = new EventLoopSlices();
  const app = localApi(logger, {
    live,
    emailChecks,
    reportImports: undefined,
    senders: undefined,
    tlsReports: undefined,
    watchList: undefined,
    addressSections,
    slices,
    prefixContents: new PrefixContents(slices),
    rules: undefined,
    databases: new LiveGeoipFiles(config.dataDir),
    trustProxy: [],
    past,
    metrics: new Metrics(),
    nowMs: Date.now,
  });
  await app.ready();
  const sink = new StreamSink(stdout);
  await serveStdio(stdin, {
    write: (text) => sink.write(text),
    ask: async ({ method, url, body }, signal) => {
      const { payload } = await app.inject({
        method,
        url,
        signal,
        ...(body === undefined ? {} : { payload: body }),
      });
      return payload;
    },
    isThreatKnown: threatKnownBy(live),
    onFailure: (error) => logger.error({ err: error }, 'a call could not be answered'),
  });
  await app.close();
  await past.close();
  live.stop();
  await locations.stop();
  emailChecks.close();
  flush();
  return 0;
}

/** The routes of the API without keys and limits. Nothing listens. */
function localApi(log: Logger, dependencies: RouteDependencies): FastifyInstance {
  const nothing = () => {};
  const app = createHttpServer({
    log,
    trustProxy: [],
    readMode: 'data-events',
    onRequest: nothing,
    onFault: nothing,
  });
  app.decorateRequest('key', undefined);
  app.decorateRequest('isWorkRefused', false);
  parseBatchBodies(app);
  for (const { declaration, handler, ...route } of apiRoutes(dependencies))
    app.route({
      ...route,
      config: { name: declaration.counts, declaration },
      onRequest: async (request) => {
        request.key = LOCAL_KEY;
      },
      handler: handler as (request: unknown, reply: unknown) => unknown,
    });
  return app;
}
