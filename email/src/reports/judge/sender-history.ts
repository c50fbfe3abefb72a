/**
 * What changes from day to day about the senders of a domain: which parts of them fail, and who
 * sends mail that passes. A judgement of the whole period says neither.
 */
import { cutText, visible } from '../../visible-text.ts';
import { ownSignatures } from '../alignment.ts';
import type { JudgedSource } from './classify.ts';
import { isLostClass } from './sender-class.ts';
import { unitOfSource } from './units.ts';
import { daysBetween } from './verdict.ts';

type NamedSender = { readonly id: string; readonly name: string };

/** Messages by day, from the first day of the period. */
export type FailingUnit = NamedSender & {
  readonly lost: readonly number[];
  readonly passed: readonly number[];
};

export type SenderHistory = {
  /** Parts of senders with mail of the domain that failed, those with most of it first. */
  readonly failing: readonly FailingUnit[];
  /** Senders whose mail passed by SPF. */
  readonly bySpf: readonly NamedSender[];
  /** Senders whose mail passed with a signature of the domain, those with most mail first. */
  readonly bySelector: readonly {
    readonly selector: string;
    readonly senders: readonly NamedSender[];
  }[];
};

/** Forged reports of a domain make no more events than this. */
const MAX_UNITS = 100;
const MAX_SENDERS = 200;
const MAX_SELECTORS = 50;
const MAX_SIGNING = 20;

export function senderHistory(
  judged: readonly JudgedSource[],
  from: string,
  to: string,
): SenderHistory {
  const bySpf = new Counts();
  const selectors = new Map<string, Counts>();
  for (const { source, sender } of judged) {
    if (source.spfPassed) bySpf.add(sender, source.messages);
    if (!source.dkimPassed) continue;
    for (const { selector, result } of ownSignatures(source)) {
      if (result !== 'pass' || selector === '') continue;
      const senders = selectors.get(selector) ?? new Counts();
      selectors.set(selector, senders);
      senders.add(sender, source.messages);
    }
  }
  const mostUsed = [...selectors].sort(([, a], [, b]) => b.messages - a.messages);
  return {
    failing: failingUnits(judged, from, daysBetween(from, to) + 1),
    bySpf: bySpf.most(MAX_SENDERS),
    bySelector: mostUsed.slice(0, MAX_SELECTORS).map(([selector, senders]) => ({
      selector: shown(selector),
      senders: senders.most(MAX_SIGNING),
    })),
  };
}

function failingUnits(judged: readonly JudgedSource[], from: string, days: number): FailingUnit[] {
  const units = new Map<string, { name: string; lost: number[]; passed: number[] }>();
  const starts = new Set(judged.map(({ source }) => source.start));
  const offsets = new Map([...starts].map((start) => [start, daysBetween(from, start)]));
  const add = (row: JudgedSource, kind: 'lost' | 'passed') => {
    const { source, sender } = row;
    const id = unitOfSource(row);
    let unit = units.get(id);
    if (unit === undefined) {
      if (kind === 'passed') return;
      const part = sender.kind === 'provider' ? source.headerFrom : sender.account;
      const name = shown(part === '' ? sender.name : `${sender.name} (${part})`);
      unit = { name, lost: Array(days).fill(0), passed: Array(days).fill(0) };
      units.set(id, unit);
    }
    const offset = offsets.get(source.start) ?? 0;
    for (const { day: counted, messages } of source.daily) {
      const day = offset + counted;
      if (day >= 0 && day < days) unit[kind][day] = (unit[kind][day] ?? 0) + messages;
    }
  };
  for (const row of judged) if (isLostClass(row.class)) add(row, 'lost');
  for (const row of judged) if (row.class === 'passes') add(row, 'passed');
  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  return [...units]
    .map(([id, unit]) => ({ id: shown(id), ...unit }))
    .sort((a, b) => sumOf(b.lost) - sumOf(a.lost))
    .slice(0, MAX_UNITS);
}

class Counts {
  messages = 0;
  readonly #senders = new Map<string, NamedSender & { messages: number }>();

  add({ id, name }: NamedSender, messages: number): void {
    this.messages += messages;
    const known = this.#senders.get(id);
    if (known === undefined) this.#senders.set(id, { id, name, messages });
    else known.messages += messages;
  }

  most(limit: number): NamedSender[] {
    return [...this.#senders.values()]
      .sort((a, b) => b.messages - a.messages)
      .slice(0, limit)
      .map(({ id, name }) => ({ id, name: shown(name) }));
  }
}

const shown = (text: string) => cutText(visible(text));
