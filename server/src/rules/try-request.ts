/** One request, decided and explained: for the command and the dashboard. */
import type { Dataset } from '@whence/dataset/internal/file/read';
import { type AskedRequest, type Decider, factsOf } from './decide.ts';

export function tryRequest(decider: Decider, dataset: Dataset, asked: AskedRequest) {
  const match = dataset.find(asked.address);
  const record = match === 0 ? undefined : dataset.record(asked.address, match);
  const facts = factsOf(asked, record);
  const { decision, rule } = decider.decide(facts);
  return { decision, rule, matched: rule && decider.explain(rule, facts), record };
}
