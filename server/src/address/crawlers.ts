/**
 * Crawlers and research scanners by user agent, and how a site verifies them: by forward-confirmed hostname where the
 * operator documents names, or by ranges, which are values of `crawler` in the evidence. As of 2026-11. Names below
 * google.com and googleusercontent.com also belong to customers, so only documented ones are taken.
 */
export type Crawler = {
  readonly name: string;
  readonly userAgent: RegExp;
  readonly hostname?: RegExp;
  readonly ranges?: readonly string[];
  /** AS numbers from which it comes, where the operator crawls from networks of its own only. */
  readonly networks?: readonly number[];
  /** The operator documents its ranges first; not every address has a name. */
  readonly mayLackName?: true;
  /** It scans the internet for research; `ranges` are values of `scanner` in the evidence. */
  readonly isScanner?: true;
};

/** The first whose user agent matches is the one that is claimed. */
export const CRAWLERS: readonly Crawler[] = [
  {
    name: 'Google special-case crawlers',
    userAgent: /AdsBot-Google|Mediapartners-Google|APIs-Google|Google-Safety|DuplexWeb-Google/i,
    networks: [15169],
    hostname: /^rate-limited-proxy-[\d-]+\.google\.com$/,
    ranges: ['Google special-case crawlers'],
  },
  {
    name: 'Googlebot',
    userAgent: /Googlebot|GoogleOther|Google-InspectionTool|Storebot-Google|Google-CloudVertexBot/i,
    networks: [15169],
    hostname: /\.googlebot\.com$/,
    ranges: ['Googlebot'],
  },
  {
    name: 'bingbot',
    userAgent: /bingbot|BingPreview|adidxbot|MicrosoftPreview/i,
    networks: [8075],
    hostname: /\.search\.msn\.com$/,
    ranges: ['bingbot'],
  },
  {
    name: 'Applebot',
    userAgent: /Applebot/i,
    networks: [714, 6185],
    hostname: /\.applebot\.apple\.com$/,
    ranges: ['Applebot'],
  },
  {
    name: 'DuckAssistBot',
    userAgent: /DuckAssistBot/i,
    hostname: /\.duckduckgo\.com$/,
    ranges: ['DuckAssistBot'],
    mayLackName: true,
  },
  {
    name: 'DuckDuckBot',
    userAgent: /DuckDuckBot|DuckDuckGo-Favicons-Bot/i,
    hostname: /\.duckduckgo\.com$/,
    ranges: ['DuckDuckBot'],
    mayLackName: true,
  },
  { name: 'GPTBot', userAgent: /GPTBot/i, ranges: ['GPTBot'] },
  { name: 'OAI-SearchBot', userAgent: /OAI-SearchBot/i, ranges: ['OAI-SearchBot'] },
  { name: 'ChatGPT-User', userAgent: /ChatGPT-User/i, ranges: ['ChatGPT-User'] },
  { name: 'ClaudeBot', userAgent: /ClaudeBot|Claude-User|Claude-SearchBot/i, ranges: ['ClaudeBot'] },
  { name: 'PerplexityBot', userAgent: /PerplexityBot/i, ranges: ['PerplexityBot'] },
  { name: 'Perplexity-User', userAgent: /Perplexity-User/i, ranges: ['Perplexity-User'] },
  { name: 'Amzn-SearchBot', userAgent: /Amzn-SearchBot/i, ranges: ['Amzn-SearchBot'] },
  { name: 'Amazonbot', userAgent: /Amazonbot/i, hostname: /\.crawl\.amazonbot\.amazon$/, ranges: ['Amazonbot'] },
  { name: 'CCBot', userAgent: /CCBot/i, hostname: /\.crawl\.commoncrawl\.org$/, ranges: ['CCBot'] },
  { name: 'MistralAI-User', userAgent: /MistralAI-User/i, ranges: ['MistralAI-User'] },
  { name: 'MistralAI-Index', userAgent: /MistralAI-Index/i, ranges: ['MistralAI-Index'] },
  { name: 'meta-externalagent', userAgent: /meta-externalagent/i, ranges: ['meta-externalagent'] },
  { name: 'YandexBot', userAgent: /\bYandex[A-Z]\w+/, hostname: /\.yandex\.(ru|net|com)$/ },
  { name: 'Baiduspider', userAgent: /Baiduspider/i, hostname: /\.baidu\.(com|jp)$/ },
  { name: 'Yahoo! Slurp', userAgent: /Yahoo! Slurp/i, hostname: /\.crawl\.yahoo\.net$/ },
  { name: 'SeznamBot', userAgent: /SeznamBot/i, networks: [43037], hostname: /\.seznam\.cz$/ },
  { name: 'Qwantbot', userAgent: /Qwantbot|Qwantify/i, hostname: /\.qwant\.com$/ },
  { name: 'PetalBot', userAgent: /PetalBot/i, hostname: /\.petalsearch\.com$/ },
  { name: 'MojeekBot', userAgent: /MojeekBot/i, hostname: /\.mojeek\.com$/ },
  { name: 'Pinterestbot', userAgent: /Pinterestbot|Pinterest\/0/i, hostname: /\.pinterest\.com$/ },
  {
    name: 'AhrefsBot',
    userAgent: /AhrefsBot|AhrefsSiteAudit/i,
    hostname: /\.ahrefs\.(com|net)$/,
    ranges: ['AhrefsBot'],
  },
  {
    name: 'SemrushBot',
    userAgent: /SemrushBot/i,
    hostname: /\.bot\.semrush\.com$/,
    ranges: ['SemrushBot'],
  },
  { name: 'Bytespider', userAgent: /Bytespider/i },
  ...(
    [
      ['Censys', /CensysInspect/i, /\.censys-scanner\.com$/],
      ['Driftnet', /InternetMeasurement/i, /\.internet-measurement\.com$/],
      ['LeakIX', /l9(?:scan|explore|tcpid)|leakix/i, /\.scan\.leakix\.org$/],
      ['Modat', /ModatScanner/i, /\.scanner\.modat\.io$/],
      ['Nokia Deepfield', /GenomeCrawlerd/i, /\.deepfield\.net$/],
      ['BitSight Internet Census', /BitSightBot/i, /\.internet-census\.org$/],
      ['Palo Alto Networks Xpanse', /Expanse, a Palo Alto|Hello from Palo Alto Networks/i, undefined],
      ['Shodan', /shodan\.io/i, /\.shodan\.io$/],
      ['Shadowserver', /shadowserver\.org/i, /\.shadowserver\.org$/],
      ['ONYPHE', /onyphe/i, /\.probe\.onyphe\.net$/],
      ['Stretchoid', /stretchoid/i, /\.stretchoid\.com$/],
      ['BinaryEdge', /binaryedge/i, /\.binaryedge\.ninja$/],
    ] as const
  ).map(
    ([name, userAgent, hostname]): Crawler => ({
      name,
      userAgent,
      ...(hostname && { hostname }),
      ranges: [name],
      mayLackName: true,
      isScanner: true,
    }),
  ),
];

export function claimedCrawler(userAgent: string): Crawler | undefined {
  return CRAWLERS.find((crawler) => crawler.userAgent.test(userAgent));
}

export function crawlerOfHostname(name: string): Crawler | undefined {
  return CRAWLERS.find((crawler) => crawler.hostname?.test(name) === true);
}
