/** The values of a dataset that a filter can name, for checking the options and for messages. */
import type { Dataset } from '@whence/dataset/read';

/** Each sorted. */
export type FilterValues = {
  readonly countries: readonly string[];
  readonly clouds: readonly string[];
  readonly companies: readonly string[];
};

export function filterValuesOf(dataset: Dataset): FilterValues {
  const [countries, clouds, companies] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (let number = 0; number < dataset.meta.counts.tails; number++) {
    const { country, detection } = dataset.tail(number);
    countries.add(country);
    if (detection.cloud_provider !== undefined) clouds.add(detection.cloud_provider);
    if (detection.ai_company !== undefined) companies.add(detection.ai_company);
  }
  return { countries: [...countries].sort(), clouds: [...clouds].sort(), companies: [...companies].sort() };
}
