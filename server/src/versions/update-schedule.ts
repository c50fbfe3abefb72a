/**
 * How often a server updates its dataset, and who decided it: WHENCE_UPDATE, or else an
 * administrator, for all machines that share the storage.
 */
export const DAILY_SECONDS = 86_400;

export type UpdateSetting = {
  readonly isUpdateSet: boolean;
  /** Undefined for never. */
  readonly updateSeconds: number | undefined;
};

type Schedule = {
  readonly intervalSeconds?: number | undefined;
  /** Undefined until one of them is set. */
  readonly decidedBy?: 'setting' | 'administrator' | undefined;
};

/** `isDaily` is the answer of an administrator; undefined before there is one. */
export function updateSchedule(
  { isUpdateSet, updateSeconds }: UpdateSetting,
  isDaily: boolean | undefined,
): Schedule {
  if (isUpdateSet) return { intervalSeconds: updateSeconds, decidedBy: 'setting' };
  if (isDaily === undefined) return {};
  return { intervalSeconds: isDaily ? DAILY_SECONDS : undefined, decidedBy: 'administrator' };
}
