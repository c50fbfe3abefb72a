/** Some changes by the command and the page too; email-try.full.test.ts tries all by each. */
import { testTrials } from './tried-both-ways.ts';

testTrials((index) => index % 8 === 0);
