/** Every change by the API, the command and the page. */
import { testTrials } from './tried-both-ways.ts';

testTrials(() => true);
