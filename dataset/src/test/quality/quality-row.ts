/** One figure of how right the answers are, measured on labels that did not decide them. */
export type QualityRow = {
  /** A field of the record; `connection_type=education` for one value of it. */
  readonly field: string;
  readonly measure: QualityMeasure;
  /** From 0 to 1. */
  readonly value: number;
  /** 95% confidence interval. */
  readonly interval: readonly [low: number, high: number];
  readonly n: number;
  /** What `n` counts. */
  readonly unit: string;
  /** A label that is also a source is held out: the measured answers are those without it. */
  readonly labels: string;
};

/**
 * `accuracy`: share of labels that the answer agrees with. `precision`: of the answers with the
 * value, the share whose label has it. `recall`: of the labels with the value, the share whose
 * answer has it. `mean recall`: of the five connection types. `false positives`: of labels without
 * the flag, the share whose answer has it.
 */
export type QualityMeasure =
  | 'accuracy'
  | 'precision'
  | 'recall'
  | 'mean recall'
  | 'false positives';
