/**
 * Which primary a process has used: `system/timeline`. A failover raises the timeline; pg_upgrade
 * makes another system.
 */

/** SQL; null on a standby. */
export const PLACE = `case when not pg_is_in_recovery() then (select system_identifier from pg_control_system()) || '/' ||
  substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) end`;

/**
 * `feature_not_supported`, `insufficient_privilege`, `undefined_function`: a service, or a role,
 * may lack the functions.
 */
const REFUSALS = ['0A000', '42501', '42883'];
export const isWithheld = (code: string | undefined) => REFUSALS.includes(code ?? '');

const FORM = /^\d{11,}\/[0-9A-F]{8}/;
export const timelineOf = (place: string) => Number.parseInt(place.split('/')[1] ?? '', 16);

export class Lineage {
  #used = '';

  /**
   * Throws for a primary that was replaced. `place` may have more parts; one without system and
   * timeline is accepted.
   */
  enter(place: string | undefined): void {
    const [entered] = FORM.exec(place ?? '') ?? [];
    if (entered === undefined) return;
    const [timeline, used] = [entered, this.#used].map(timelineOf) as [number, number];
    if (this.#isSameSystem(entered) && timeline < used)
      throw new Error(
        `this PostgreSQL was replaced: it is on timeline ${timeline}, and ${used} was used before. Stop it; if it was restored on purpose, restart the servers`,
      );
    this.#used = entered;
  }

  /** Another host is a primary: if it has replaced the one that is used, that one is left. */
  learn(place: string | undefined): void {
    if (
      place !== undefined &&
      this.#isSameSystem(place) &&
      timelineOf(place) > timelineOf(this.#used)
    )
      this.#used = place;
  }

  /** Whether it was entered last. */
  isCurrent(place: string | undefined): boolean {
    return place === undefined || place === this.#used;
  }

  #isSameSystem(place: string): boolean {
    return place.split('/')[0] === this.#used.split('/')[0];
  }
}
