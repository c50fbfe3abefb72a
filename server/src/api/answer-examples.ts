/**
 * Example answers of the OpenAPI document, by operation and status. Refusals that consist of a text and a code are made
 * from the error table. A test validates all of them against their schemas.
 */
import { ADDRESS_EXAMPLES } from './examples/addresses.ts';
import { DATASET_EXAMPLES } from './examples/dataset.ts';
import { DATASET_DIFF_EXAMPLES } from './examples/dataset-diff.ts';
import { EMAIL_EXAMPLES } from './examples/email.ts';
import { HEALTH_EXAMPLES } from './examples/health.ts';
import { NETWORK_EXAMPLES } from './examples/networks.ts';

export const ANSWER_EXAMPLES: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  ...ADDRESS_EXAMPLES,
  ...NETWORK_EXAMPLES,
  ...EMAIL_EXAMPLES,
  ...DATASET_EXAMPLES,
  ...DATASET_DIFF_EXAMPLES,
  ...HEALTH_EXAMPLES,
};
