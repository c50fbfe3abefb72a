/** Crawlers, by their operators' lists. */
import type { Feed } from '../feed.ts';
import { PUBLISHED } from '../npm-sources.ts';

const GOOGLE_CRAWLERS = 'https://developers.google.com/static/crawling/ipranges';

export const crawlerFeeds: readonly Feed[] = [
  // Those that fetch for AI. Many are inside clouds and keep the cloud provider.
  ...(
    [
      ['openai-gptbot', 'OpenAI', 'GPTBot', 'https://openai.com/gptbot.json', 5],
      ['openai-oai-searchbot', 'OpenAI', 'OAI-SearchBot', 'https://openai.com/searchbot.json', 5],
      ['openai-chatgpt-user', 'OpenAI', 'ChatGPT-User', 'https://openai.com/chatgpt-user.json', 20],
      ['anthropic-claudebot', 'Anthropic', 'ClaudeBot', 'https://claude.com/crawling/bots.json', 5],
      ['perplexity-perplexitybot', 'Perplexity', 'PerplexityBot', 'https://www.perplexity.ai/perplexitybot.json', 2],
      [
        'perplexity-perplexity-user',
        'Perplexity',
        'Perplexity-User',
        'https://www.perplexity.ai/perplexity-user.json',
        1,
      ],
      ['apple-applebot', 'Apple', 'Applebot', 'https://search.developer.apple.com/applebot.json', 5],
      ['common-crawl-ccbot', 'Common Crawl', 'CCBot', 'https://index.commoncrawl.org/ccbot.json', 3],
      ['duckduckgo-duckassistbot', 'DuckDuckGo', 'DuckAssistBot', 'https://duckduckgo.com/duckassistbot.json', 5],
      ['mistral-mistralai-user', 'Mistral', 'MistralAI-User', 'https://mistral.ai/mistralai-user-ips.json', 1],
      ['mistral-mistralai-index', 'Mistral', 'MistralAI-Index', 'https://mistral.ai/mistralai-index-ips.json', 1],
    ] as const
  ).map(
    ([bot, company, crawler, url, min_records]): Feed => ({
      id: `crawler-${bot}`,
      url,
      format: 'google-json',
      licence: PUBLISHED,
      credit: company,
      drives: ['is_ai_crawler'],
      company,
      crawler,
      refresh_hours: 24,
      mode: 'on',
      min_records,
      max_records: 10_000,
    }),
  ),
  {
    id: 'crawler-amazon-amazonbot',
    url: 'https://developer.amazon.com/amazonbot/ip-addresses/',
    format: 'embedded-json-html',
    licence: PUBLISHED,
    credit: 'Amazon',
    drives: ['is_ai_crawler'],
    company: 'Amazon',
    crawler: 'Amazonbot',
    refresh_hours: 24,
    mode: 'opt-in',
    min_records: 20,
    max_records: 10_000,
  },
  {
    // Meta documents its whole network as the addresses of its crawlers; it also holds its other servers and its staff.
    id: 'crawler-meta-externalagent',
    url: 'https://www.facebook.com/peering/geofeed',
    format: 'geofeed',
    licence: PUBLISHED,
    credit: 'Meta',
    drives: ['is_ai_crawler'],
    company: 'Meta',
    crawler: 'meta-externalagent',
    refresh_hours: 24,
    mode: 'opt-in',
    min_records: 100,
    max_records: 10_000,
  },

  // Crawlers of search engines: named in the evidence, without the flag. A site that blocks the flag must not drop out
  // of search. None of Google's lists is for AI alone.
  ...(
    [
      ['google-googlebot', 'Google', 'Googlebot', `${GOOGLE_CRAWLERS}/common-crawlers.json`, 50],
      [
        'google-special-case-crawlers',
        'Google',
        'Google special-case crawlers',
        `${GOOGLE_CRAWLERS}/special-crawlers.json`,
        50,
      ],
      [
        'google-user-triggered-fetchers',
        'Google',
        'Google user-triggered fetchers',
        `${GOOGLE_CRAWLERS}/user-triggered-fetchers-google.json`,
        50,
      ],
      ['microsoft-bingbot', 'Microsoft', 'bingbot', 'https://www.bing.com/toolbox/bingbot.json', 10],
      ['duckduckgo-duckduckbot', 'DuckDuckGo', 'DuckDuckBot', 'https://duckduckgo.com/duckduckbot.json', 20],
    ] as const
  ).map(
    ([bot, credit, crawler, url, min_records]): Feed => ({
      id: `crawler-${bot}`,
      url,
      format: 'google-json',
      licence: PUBLISHED,
      credit,
      drives: ['crawler'],
      crawler,
      refresh_hours: 24,
      mode: 'on',
      min_records,
      max_records: 10_000,
    }),
  ),
  {
    // Fetchers on App Engine run any customer's program on request of a person.
    id: 'crawler-google-user-triggered-fetchers-app-engine',
    url: `${GOOGLE_CRAWLERS}/user-triggered-fetchers.json`,
    format: 'google-json',
    licence: PUBLISHED,
    credit: 'Google',
    drives: ['crawler'],
    crawler: 'Google user-triggered fetchers on App Engine',
    refresh_hours: 24,
    mode: 'opt-in',
    min_records: 50,
    max_records: 10_000,
  },
];
