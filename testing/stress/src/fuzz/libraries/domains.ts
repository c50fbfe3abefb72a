/** What is fuzzed without a server, and how many of all cases each gets. */
import { addresses } from './addresses.ts';
import { openDatasets } from './datasets.ts';
import { openDnsExchanges } from './dns-exchanges.ts';
import { dnsMessages } from './dns-messages.ts';
import { emailRecords } from './email-records.ts';
import { openFeeds } from './feeds.ts';
import type { Subject } from './subject.ts';

type LibraryDomain = {
  readonly name: string;
  /** Share of all cases of a run. */
  readonly share: number;
  open(): Subject | Promise<Subject>;
};

export const LIBRARY_DOMAINS: readonly LibraryDomain[] = [
  { name: 'addresses', share: 0.3, open: () => addresses },
  { name: 'dns-messages', share: 0.26, open: () => dnsMessages },
  { name: 'dns-exchanges', share: 0.02, open: openDnsExchanges },
  { name: 'email-records', share: 0.05, open: () => emailRecords },
  { name: 'feeds', share: 0.18, open: openFeeds },
  { name: 'datasets', share: 0.05, open: openDatasets },
];
