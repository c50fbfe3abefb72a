/** Answers of the local dataset about addresses. */
import { type Address, formatAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { explanationOf } from '@whence/dataset/evidence';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { threatGapOf } from '../../lookup/threat-gap.ts';
import type { IpConfig } from '../ip-sections.ts';
import { openOverridden } from '../local-dataset.ts';
import { type IpAnswer, type IpOptions, type IpSource, missingAnswer } from './ip-answer.ts';

export async function localIpSource(
  config: IpConfig,
  { explain, include }: IpOptions,
): Promise<IpSource> {
  const dataset = await openOverridden(config);
  // Loaded if it is asked for: DNS and the HTTP client are half of what this command would load.
  const sections =
    include.size === 0
      ? undefined
      : await (await import('../ip-sections.ts')).openSections(config, include);
  const isPlain = !explain && sections === undefined;
  return {
    dataset,
    threatGaps: async () => (answer) => threatGapOf(dataset, answer.ip),
    async find(addresses) {
      const answers: IpAnswer[] = [];
      for (const address of addresses) {
        const lookup = { kind: 'found', dataset, address, match: dataset.find(address) } as const;
        const record = answerOf(dataset, address, explain);
        answers.push(
          lookup.match === 0
            ? record
            : ({ ...record, ...(await sections?.describe(lookup)) } as IpAnswer),
        );
      }
      return answers;
    },
    ...(isPlain && {
      openLines: async (format) =>
        new (await import('./local-lines.ts')).LocalLines(dataset, format),
    }),
    close: () => sections?.close(),
  };
}

export function answerOf(dataset: Dataset, address: Address, explain: boolean): IpAnswer {
  const match = dataset.find(address);
  if (match === 0) return missingAnswer(formatAddress(address), findSpecialPurpose(address));
  const record = dataset.record(address, match);
  return explain ? { ...record, ...explanationOf(dataset, address, match) } : record;
}
