/** A short random search; `asn-search-random.full.test.ts` has the long ones. */
import { compareSearches } from '../test/compare-searches.ts';

compareSearches(1, 40, 400, 10);
