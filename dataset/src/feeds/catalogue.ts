/**
 * The built-in catalogue: every feed that a live dataset can be made of. Of several sources for a field the first in
 * this order decides. `on` feeds are fetched by default; an `opt-in` feed has terms, an age or an error rate that the
 * operator should check first. No feed is bundled. `min_records` is about half of what a feed had in 2026,
 * `max_records` at least five times as much.
 */
import { anonymityFeeds } from './catalogue/anonymity.ts';
import { cloudFeeds } from './catalogue/clouds.ts';
import { connectionTypeFeeds } from './catalogue/connection-types.ts';
import { countryFeeds } from './catalogue/countries.ts';
import { crawlerFeeds } from './catalogue/crawlers.ts';
import { nameFeeds } from './catalogue/names.ts';
import { routeFeeds } from './catalogue/routes.ts';
import { supplementFeeds } from './catalogue/supplement.ts';
import { threatFeeds } from './catalogue/threats.ts';
import type { Feed } from './feed.ts';

export const builtInFeeds = (): readonly Feed[] => [
  ...routeFeeds,
  ...nameFeeds,
  ...countryFeeds(),
  ...cloudFeeds(),
  ...crawlerFeeds,
  ...anonymityFeeds(),
  ...connectionTypeFeeds,
  ...threatFeeds,
  ...supplementFeeds,
];
