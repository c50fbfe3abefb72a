/**
 * Shapes as a judgement needs them. Mail that neither passed nor has a signature of the domain is
 * judged by the name in From and by the names that were verified. Shapes that differ in nothing
 * else become one: invented names and signatures cost no more than invented addresses.
 */
import { providerOfDomain } from '../../providers.ts';
import { organizationOf } from '../../registrable-domain.ts';
import { isAligned, ownSignatures } from '../alignment.ts';
import type { ReportShape } from '../report.ts';
import { isForwardingReason } from './classify.ts';

/** Names in From of such mail that are told apart; the judge looks up fewer. */
const MAX_NAMES = 1_000;
/** Stands for all other names of an organization. */
const OTHER_NAMES = 'others';

export function judgedShapes(
  shapes: ReadonlyMap<number, ReportShape>,
): ReadonlyMap<number, ReportShape> {
  const names = namesIn(shapes);
  const nameOf = (name: string) =>
    names.has(name) ? name : `${OTHER_NAMES}.${organizationOf(name)}`;
  const judged = new Map<number, ReportShape>();
  const known = new Map<string, ReportShape>();
  for (const [id, shape] of shapes) {
    if (!isBare(shape)) {
      judged.set(id, shape);
      continue;
    }
    const reduced = reduce(shape, nameOf);
    const content = JSON.stringify(reduced);
    const same = known.get(content) ?? reduced;
    known.set(content, same);
    judged.set(id, same);
  }
  return judged;
}

/** It failed, without a signature of the domain. */
export const isBare = (shape: ReportShape): boolean =>
  !shape.spfPassed && !shape.dkimPassed && ownSignatures(shape).length === 0;

/**
 * All names of other mail, and the first of bare mail, whose shapes come in the order of messages.
 */
function namesIn(shapes: ReadonlyMap<number, ReportShape>): Set<string> {
  const names = new Set<string>();
  for (const shape of shapes.values()) if (!isBare(shape)) names.add(shape.headerFrom);
  const most = names.size + MAX_NAMES;
  for (const { headerFrom } of shapes.values()) if (names.size < most) names.add(headerFrom);
  return names;
}

function reduce(shape: ReportShape, nameOf: (name: string) => string): ReportShape {
  const verifiedName = (name: string) =>
    providerOfDomain(name) === undefined ? organizationOf(name) : name;
  const isOwn = (name: string) => isAligned(name, shape.headerFrom, 'r');
  const headerFrom = nameOf(shape.headerFrom);
  const hasEnvelope = shape.envelopeFrom !== '' || shape.spf.some(({ scope }) => scope !== 'helo');
  return {
    disposition: '',
    spfPassed: false,
    dkimPassed: false,
    headerFrom,
    // With an envelope, HELO is not looked at.
    envelopeFrom: hasEnvelope ? headerFrom : '',
    // Names of the domain are replayed; accounts of providers identify senders.
    spf: shape.spf
      .filter(
        ({ domain, result }) =>
          result === 'pass' || isOwn(domain) || providerOfDomain(domain) !== undefined,
      )
      .map(({ domain, scope, result }) => ({
        domain: isOwn(domain) ? nameOf(domain) : verifiedName(domain),
        scope: scope === 'helo' ? scope : 'mfrom',
        result: result === 'pass' ? result : 'fail',
      })),
    dkim: shape.dkim
      .filter(({ result }) => result === 'pass')
      .map(({ domain, result }) => ({ domain: verifiedName(domain), selector: '', result })),
    reasons: shape.reasons
      .filter(isForwardingReason)
      .map(({ type }) => ({ type, comment: type === 'local_policy' ? 'arc=pass' : '' })),
  };
}
