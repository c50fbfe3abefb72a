/** The text of fields of a place, which is made once for each place: many addresses share one. */
import type { Address } from '@whence/dataset/address';
import type { Match } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { Supplement } from '@whence/dataset/internal/supplement/supplement';
import type { LocationField } from '../fields/fields.ts';
import type { OutputBuffer } from './output-buffer.ts';
import { TextCache } from './text-cache.ts';

export class LocationTexts {
  readonly #dataset: Dataset;
  readonly #supplement: Supplement | undefined;
  /** By the number of the place; 0 is an unknown one. */
  readonly #texts: TextCache<number>;

  constructor(
    dataset: Dataset,
    supplement: Supplement | undefined,
    fields: readonly LocationField[],
    format: (field: LocationField, value: string | number | undefined) => string,
  ) {
    this.#dataset = dataset;
    this.#supplement = supplement;
    this.#texts = new TextCache(supplement?.meta.places ?? 0, (place) => {
      const location = place === 0 ? undefined : supplement?.location(place, supplement.placeCountry(place));
      return fields.map((field) => format(field, location?.[field])).join('');
    });
  }

  append(address: Address, match: Match, output: OutputBuffer): void {
    const place = this.#supplement?.placeOf(address) ?? 0;
    // As in locationOf: a place in another country than the record's is left out.
    const shown = this.#supplement?.isPlaceIn(place, this.#dataset.country(match)) === true ? place : 0;
    this.#texts.append(shown, shown, output);
  }
}
