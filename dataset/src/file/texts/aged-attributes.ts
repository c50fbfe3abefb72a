// The answers of a file on a day after its build: lists too old by then no longer count. The
// compiler counts those that become too old last first, so the rest is what it would be without
// them. A list of cloud ranges keeps its effect on the connection type: what that would be is not
// in the file.

import { isTooOld, lastDay } from '../../data-age.ts';
import { DAY_MS, dayOfMs } from '../../day.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { AGING_NAMES, type Detection, levelOf, type Meta, type Threat } from '../../record.ts';
import { bytesOf, decodeFile, encodeFile, wordsOf } from '../format.ts';
import { asciiJson } from './ascii-writer.ts';
import { AttributeSets, type CompiledAttributes, encodeAttributes } from './attributes.ts';
import type { Decision } from './decisions.ts';

/** Flags that a list sets by itself. */
const LISTED_FLAGS = ['is_tor_exit', 'is_proxy', 'is_vpn', 'is_ai_crawler'] as const;

/** Lists that no longer count: their ids, by position in the sources. */
type Expired = ReadonlyMap<number, string>;

/** The same buffer if nothing changes. */
export function withoutAgedLists(file: Buffer<ArrayBuffer>, day: string): Buffer<ArrayBuffer> {
  const sections = decodeFile(file, true);
  const expired = expiredSince(JSON.parse(sections.meta.toString()) as Meta, day);
  if (expired.size === 0) return file;
  const sets = new AttributeSets(sections);
  const lists = new Map<number, AgedList>();
  const aged = Array.from({ length: sections.suffixes.length / 4 }, (_, set) => {
    const number = sets.listOf(set);
    const list = getOrInsert(lists, number, () => agedList(sets.decisions(set), expired));
    return agedSet(sets.fragments(set), list, expired);
  });
  const { sections: attributes, numberOf } = encodeAttributes(aged);
  const records = wordsOf(sections.records).map((set) => numberOf[set] as number);
  // Allocated with Buffer.alloc, which does not use the pool.
  return encodeFile({
    ...sections,
    ...attributes,
    records: bytesOf(records),
  }) as Buffer<ArrayBuffer>;
}

/** Whether `withoutAgedLists` would change something. */
export function hasAgedLists(file: Buffer, day: string): boolean {
  return expiredSince(JSON.parse(decodeFile(file, true).meta.toString()) as Meta, day).size > 0;
}

/** A build that began before midnight judged lists by the day before. */
function expiredSince({ sources, built_at }: Meta, day: string): Expired {
  const builtOn = dayOfMs(Date.parse(built_at) - DAY_MS);
  const expired = new Map<number, string>();
  sources.forEach((source, i) => {
    if (isTooOld(source, day) && (lastDay(source) ?? '') >= builtOn) expired.set(i, source.id);
  });
  return expired;
}

/** Decoded once: many sets share a list of decisions. */
type AgedList = {
  readonly decisions: readonly Decision[];
  readonly json: string;
  readonly isChanged: boolean;
};

function agedList(before: readonly Decision[], expired: Expired): AgedList {
  const decisions = before.flatMap((decision) => agedDecision(decision, expired));
  const isChanged = before.some(([field, source]) => expired.has(source) && isAging(field));
  return { decisions, json: JSON.stringify(decisions), isChanged };
}

function agedSet(
  [country, network, threat]: readonly [string, string, string],
  { decisions, json, isChanged }: AgedList,
  expired: Expired,
): CompiledAttributes {
  const unchanged = { country: country.slice(-4, -2), network, threat, decisions: json };
  if (!isChanged) return unchanged;
  const members = JSON.parse(`{${network.slice(0, -1)}}`) as { detection: Detection };
  for (const flag of LISTED_FLAGS) {
    const stated = decisions.filter(([field]) => field === flag);
    if (stated.length > 0 && stated.every(([, , value]) => value === 0))
      members.detection[flag] = false;
  }
  if (!members.detection.is_ai_crawler) delete members.detection.ai_company;
  return {
    ...unchanged,
    network: `${asciiJson(members).slice(1, -1)},`,
    threat: asciiJson({
      threat: agedThreat(JSON.parse(`{${threat}}`).threat, decisions, expired),
    }).slice(1, -1),
  };
}

const isAging = (field: string): boolean =>
  field === 'threat.score' ||
  field === 'ai_company' ||
  AGING_NAMES.includes(field) ||
  (LISTED_FLAGS as readonly string[]).includes(field);

function agedDecision(decision: Decision, expired: Expired): Decision[] {
  const [field, source] = decision;
  if (!expired.has(source) || !isAging(field)) return [decision];
  return field === 'ai_company' || AGING_NAMES.includes(field) ? [] : [[field, source, 0]];
}

function agedThreat(threat: Threat, decisions: readonly Decision[], expired: Expired): Threat {
  const ids = new Set(expired.values());
  const explanation = (threat.explanation ?? []).filter((line) => {
    const id = /\(([^(),\s]+), [^)]*\): \+\d+$/.exec(line)?.[1];
    return id === undefined || !ids.has(id);
  });
  const sum = decisions.reduce(
    (all, [field, , value]) => all + (field === 'threat.score' ? Number(value) : 0),
    0,
  );
  const score = Math.min(100, sum);
  return { score, level: levelOf(score), ...(explanation.length > 0 && { explanation }) };
}
