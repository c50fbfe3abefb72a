// Crawlers and research scanners by user agent, and how a site verifies them: by forward-confirmed
// hostname where the operator documents names, or by ranges, which are values of `crawler` or
// `scanner` in the evidence. Names below google.com and googleusercontent.com also belong to
// customers, so only documented ones are taken.
import { crawlerAgents } from '@whence/dataset/tables';

const crawlers = crawlerAgents.derived((rows) =>
  rows.map(({ user_agent, hostname, networks, ...row }) => ({
    ...row,
    userAgent: new RegExp(user_agent, 'i'),
    hostname: hostname === undefined ? undefined : new RegExp(hostname),
    networks: networks?.map(Number),
  })),
);

export type Crawler = ReturnType<typeof crawlers>[number];

/** The first whose user agent matches is the one that is claimed. */
export function claimedCrawler(userAgent: string): Crawler | undefined {
  return crawlers().find((crawler) => crawler.userAgent.test(userAgent));
}

export function crawlerOfHostname(name: string): Crawler | undefined {
  return crawlers().find((crawler) => crawler.hostname?.test(name) === true);
}
