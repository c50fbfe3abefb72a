/** Checks of domains, their reports with judgements, watched domains and alerts, in one process. */
import type { Dataset } from '@whence/dataset/dataset';
import { Alerts } from '../alerts/alerts.ts';
import { Channels } from '../alerts/channels.ts';
import { Mailer, type SmtpNetwork } from '../alerts/mailer.ts';
import { Webhooks } from '../alerts/webhook.ts';
import { EmailChecks } from '../email-checks/email-checks.ts';
import type { PolicyNetwork } from '../email-checks/mta-sts-fetch.ts';
import type { MailNetwork } from '../email-reports/mailbox/imap-session.ts';
import { ReportMailbox } from '../email-reports/mailbox/report-mailbox.ts';
import { ReportImports } from '../email-reports/report-imports.ts';
import { Senders } from '../email-reports/senders.ts';
import { TlsReports } from '../email-reports/tls-reports.ts';
import type { Logger } from '../log/log.ts';
import type { Config } from '../settings/config.ts';
import { packageVersion } from '../version.ts';
import { reportReview } from '../watch/report-review.ts';
import { WatchChecks } from '../watch/watch-checks.ts';
import { WatchList } from '../watch/watch-list.ts';
import type { openStoredState } from './stored-state.ts';

/** Where tests have servers that are not at public addresses. */
export type MailNetworks = {
  /** Mail servers that the SMTP probe may connect to. */
  readonly smtpNetwork?: PolicyNetwork;
  /** Web servers with policies of MTA-STS. */
  readonly policyNetwork?: PolicyNetwork;
  /** The mail server that sends alerts. */
  readonly mailNetwork?: SmtpNetwork;
  /** The server with the mailbox of reports. */
  readonly mailboxNetwork?: MailNetwork;
};

type Stored = Awaited<ReturnType<typeof openStoredState>>;

type Process = {
  readonly dataset: () => Dataset | undefined;
  /** Whether work that can wait may begin now. */
  readonly mayRun: () => boolean;
  readonly log: Logger;
};

/** The key under which checks of watched domains share the queues of their cost class. */
const FAIRNESS_KEY = 'watched domains';

export function createMailParts(
  config: Config,
  stored: Stored,
  networks: MailNetworks,
  { dataset, mayRun, log }: Process,
) {
  const { storage, nowMs, audit, metrics } = stored;
  const emailChecks = new EmailChecks(config.dnsServers, {
    ...(networks.policyNetwork && { policyNetwork: networks.policyNetwork }),
    ...(config.hasSmtpProbe && { smtp: { network: networks.smtpNetwork ?? {} } }),
  });
  const senders = new Senders(
    storage.reports,
    nowMs,
    (domain, resolving) => emailChecks.dnsClient().forCheck(domain, resolving),
    metrics,
  );
  const { eventAlerts, channels } = createEventAlerts(
    config,
    stored,
    emailChecks,
    networks.mailNetwork,
    log,
  );
  const tlsReports = new TlsReports(storage.tlsReports, nowMs);
  const reportImports = new ReportImports(
    storage,
    { dnsServers: config.dnsServers, keepDays: config.reportsKeepDays },
    nowMs,
    metrics,
  );
  const reportMailbox =
    config.reportMailbox &&
    new ReportMailbox({
      settings: config.reportMailbox,
      store: storage.mailboxes,
      imports: reportImports,
      mayRun,
      nowMs,
      log,
      network: networks.mailboxNetwork,
    });
  const watchChecks = new WatchChecks({
    store: storage.watch,
    check: (domain, request) =>
      emailChecks.check(domain, {
        ...request,
        fairnessKey: FAIRNESS_KEY,
        isAnonymous: true,
        selectors: undefined,
        hasTransport: true,
      }),
    reports: reportReview(
      {
        selectors: (domain) => senders.selectors(domain),
        hasReports: (domain) => senders.hasReports(domain),
        history: (domain, zone, requester) => senders.history(domain, zone, dataset(), requester),
      },
      tlsReports,
      FAIRNESS_KEY,
    ),
    mayRun,
    nowMs,
    release: packageVersion(),
    log,
  });
  return {
    parts: {
      emailChecks,
      senders,
      tlsReports,
      reportImports,
      reportMailbox,
      watchChecks,
      watchList: new WatchList(storage.watch, audit),
      eventAlerts,
      channels,
    },
    /** Ends what runs by itself. Requests in flight may still need `emailChecks`. */
    async stop(): Promise<void> {
      watchChecks.stop();
      await reportMailbox?.stop();
      await eventAlerts.close();
    },
  };
}

function createEventAlerts(
  { smtpServer, smtpPasswordFile, alertNetworks, publicUrl }: Config,
  { storage, audit, metrics, nowMs }: Stored,
  emailChecks: EmailChecks,
  mailNetwork: SmtpNetwork | undefined,
  log: Logger,
): { eventAlerts: Alerts; channels: Channels } {
  const mailer =
    smtpServer && new Mailer({ server: smtpServer, passwordFile: smtpPasswordFile }, mailNetwork);
  const { alerts: store, accounts, watch } = storage;
  const webhooks = new Webhooks(() => emailChecks.dnsClient(), alertNetworks);
  return {
    eventAlerts: new Alerts({
      store,
      watch,
      accounts,
      webhooks,
      mailer,
      publicUrl,
      metrics,
      nowMs,
      log,
    }),
    channels: new Channels({
      store,
      audit,
      mailer,
      publicUrl,
      hasAllowedNetworks: alertNetworks.length > 0,
    }),
  };
}
