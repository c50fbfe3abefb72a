/**
 * What to do, the most rewarding first, each with the record to publish where that can be said. One piece of advice per thing to change: all that
 * is wrong with a record ends in one new record, so no two pieces of advice contradict each other.
 */
import type { DmarcReport } from './report.ts';
import { type Findings, MAX_POINTS, type Score } from './score.ts';

/** `points`: how much the score can rise by it; 0 for what does not count but should be known. */
export type Advice = { readonly points: number; readonly text: string };

export function advise(domain: string, findings: Findings, score: Score): Advice[] {
  if (findings.mx.report.errors.some((error) => error.startsWith('domain_not_found'))) {
    return [{ points: 0, text: `The domain ${domain} does not exist in DNS. Check the spelling, or register it.` }];
  }
  const all = [
    ...adviseDmarc(domain, findings, MAX_POINTS.dmarc - score.dmarc),
    ...adviseDkim(domain, findings, MAX_POINTS.dkim - score.dkim),
    ...adviseSpf(domain, findings, MAX_POINTS.spf - score.spf),
    ...adviseMx(domain, findings, MAX_POINTS.mx - score.mx),
  ];
  // Stable: of equal points, DMARC before DKIM before SPF before MX.
  return all.sort((a, b) => b.points - a.points);
}

const record = (name: string, text: string) => `${name} TXT "${text}"`;

/** Neither sends nor receives: null MX and an SPF record that allows nobody. */
function isParked({ mx, spf }: Findings): boolean {
  return mx.state === 'null' && spf.report.raw !== '' && /^v=spf1\s+-all\s*$/i.test(spf.report.raw);
}

function adviseMx(domain: string, { mx, spf }: Findings, points: number): Advice[] {
  const { state, report, duplicates, privateHosts } = mx;
  const advice: Advice[] = [];
  const add = (text: string, worth = points) => advice.push({ points: worth, text });
  if (state === 'unverified') add(`MX could not be verified (${reasonOf(report.errors)}); check again later.`);
  else if (state === 'implicit')
    add(`Mail reaches ${domain} only through its address record. Name the mail server: ${domain} MX 10 mail.${domain}`);
  else if (state === 'none')
    add(
      `${domain} has no MX record. If it receives mail, publish one: ${domain} MX 10 mail.${domain}; if it does not, say so with a null MX: ${domain} MX 0 .`,
    );
  else if (state !== 'valid' && state !== 'null') add(`Repair the MX records: ${explanationsOf(report.errors)}.`);
  if (state === 'null' && spf.report.raw !== '' && !/^v=spf1\s+-all\s*$/i.test(spf.report.raw)) {
    add(
      `${domain} publishes a null MX (it receives no mail) but an SPF record that lets servers send: bounces cannot be delivered. If it sends no mail, publish ${record(domain, 'v=spf1 -all')}.`,
      0,
    );
  }
  if (duplicates.length > 0) add(`MX hosts are listed more than once: ${duplicates.join(', ')}. Keep one of each.`, 0);
  if (privateHosts.length > 0)
    add(
      `MX hosts with private or loopback addresses cannot be reached from the internet: ${privateHosts.join(', ')}.`,
      0,
    );
  return advice;
}

function adviseSpf(domain: string, findings: Findings, points: number): Advice[] {
  const { spf, mx } = findings;
  const { report, isUnverified, usesPtr, hasNoAll, apexTxtBytes } = spf;
  const advice: Advice[] = [];
  const add = (text: string, worth = points) => advice.push({ points: worth, text });
  const codes = new Set(report.validation_errors.map((error) => error.split(':', 1)[0]));
  if (isUnverified)
    return [{ points, text: `SPF could not be verified (${reasonOf(report.validation_errors)}); check again later.` }];
  if (codes.has('no_spf_record')) {
    const text = mx.state === 'null' ? 'v=spf1 -all' : 'v=spf1 mx -all';
    const more = mx.state === 'null' ? '' : ', with an include: for every service that sends in your name';
    return [{ points, text: `Publish an SPF record that names who may send: ${record(domain, text)}${more}.` }];
  }
  if (codes.has('multiple_records'))
    return [
      {
        points,
        text: `Merge the SPF records of ${domain} into one; receivers ignore all of them as long as there are several.`,
      },
    ];

  const over = codes.has('too_many_lookups') || codes.has('too_many_void_lookups');
  const others = report.validation_errors.filter((error) => !/^(too_many_lookups|too_many_void_lookups):/.test(error));
  if (others.length > 0) {
    const open = report.is_permissive ? ` And end it with -all: +all lets everybody send as ${domain}.` : '';
    add(`Repair the SPF record: ${explanationsOf(others)}.${open}`);
  }
  if (over) {
    add(
      `The SPF record needs ${report.dns_lookup_count} DNS lookups (10 are allowed), ${spf.voidLookups} of which find nothing (2 are allowed): remove includes that are no longer used, or replace a, mx and include by ip4 and ip6 (RFC 7208 section 4.6.4).`,
    );
  }
  const strict = report.raw.replace(/(^|\s)[+?~]?all(?=\s|$)/i, '$1-all');
  if (others.length === 0 && !over) {
    if (report.is_permissive && strict !== report.raw) {
      add(`+all lets everybody send as ${domain}. End the record with -all: ${record(domain, strict)}.`);
    } else if (hasNoAll && report.all_qualifier === '?') {
      const ended = `${report.raw.trim()} -all`;
      add(`The SPF record says nothing about other senders. Add -all at its end: ${record(domain, ended)}.`);
    } else if (report.all_qualifier !== '-' && strict !== report.raw) {
      add(`When every sender is listed, tell receivers to refuse the others: ${record(domain, strict)}.`);
    } else if (report.all_qualifier !== '-') {
      add(
        'The record that redirect= leads to does not end in -all; have its owner tighten it, or end your own with -all.',
      );
    }
  }
  if (usesPtr)
    add('Remove ptr from the SPF record: it is slow, and many receivers ignore it (RFC 7208 section 5.5).', 0);
  if (apexTxtBytes > 450)
    add(
      `The TXT records of ${domain} take ${apexTxtBytes} bytes; over 512 some resolvers need TCP for every check. Remove verification records that are no longer needed.`,
      0,
    );
  return advice;
}

function adviseDkim(domain: string, findings: Findings, points: number): Advice[] {
  const { dkim } = findings;
  const advice: Advice[] = [];
  const add = (text: string, worth = points) => advice.push({ points: worth, text });
  const at = (selector: string) => `${selector}._domainkey.${domain}`;
  const valid = dkim.report.filter(({ is_valid }) => is_valid);
  if (dkim.isUnverified)
    add(`DKIM could not be verified: ${dkim.failures} of the questions failed; check again later.`);
  else if (isParked(findings) && valid.length === 0) {
    add(
      'This domain neither sends nor receives mail, which is well configured; the 30 points of DKIM are for domains that sign mail, so it cannot rise above 70.',
      0,
    );
  } else if (dkim.report.every(({ found }) => !found)) {
    const tried = dkim.isDefaultMode
      ? 'under any common selector; if yours is another, name it in the selectors parameter. Otherwise have'
      : 'under the selectors given. Have';
    add(
      `No DKIM key was found ${tried} your mail server sign with a 2048-bit RSA key and publish it: ${record(at('s1'), 'v=DKIM1; k=rsa; p=…')}.`,
    );
  } else if (valid.length === 0) {
    add(
      `Repair the DKIM keys: ${explanationsOf(dkim.report.filter(({ found }) => found).flatMap((key) => key.validation_errors.map((error) => `${error} (${at(key.selector)})`)))}.`,
    );
  } else if (points > 0) {
    const weak = valid.map(({ selector, key_bits }) => `${at(selector)} (${key_bits} bits)`).join(', ');
    add(`Replace the short DKIM key by one of 2048 bits: ${weak}.`);
  }
  if (valid.length > 0) {
    for (const { selector, found, is_valid, validation_errors } of dkim.report) {
      if (found && !is_valid)
        add(`The key at ${at(selector)} cannot be used: ${explanationsOf(validation_errors)}.`, 0);
    }
    if (valid.every(({ key_type }) => key_type === 'ed25519'))
      add(`Add an RSA key of 2048 bits beside Ed25519: not every receiver verifies Ed25519 (RFC 8463).`, 0);
  }
  for (const { report, isTesting, hasMissingPadding, hasExtraTxt } of dkim.keys) {
    const name = at(report.selector);
    if (!report.is_valid) continue;
    if (isTesting) add(`Remove t=y from ${name}: it tells receivers that signatures are only being tested.`, 0);
    if (report.key_bits > 4096)
      add(`The key at ${name} has ${report.key_bits} bits; verifiers need only support 4096 (RFC 8301).`, 0);
    if (hasMissingPadding)
      add(`The key at ${name} lacks the = at the end of its base64; strict verifiers may refuse it.`, 0);
    if (hasExtraTxt)
      add(`Remove the other TXT records at ${name}; verifiers may pick the wrong one (RFC 6376 section 3.6.2.2).`, 0);
  }
  if (dkim.isWildcard)
    add(`A wildcard under _domainkey.${domain} answers for every selector; publish keys under their own names.`, 0);
  return advice;
}

function adviseDmarc(domain: string, findings: Findings, points: number): Advice[] {
  const { dmarc, spf, dkim } = findings;
  const { report, isUnverified, isTestMode } = dmarc;
  const advice: Advice[] = [];
  const add = (text: string, worth = points) => advice.push({ points: worth, text });
  if (isUnverified)
    return [
      { points, text: `DMARC could not be verified (${reasonOf(report.validation_errors)}); check again later.` },
    ];
  const isReady = spf.report.is_valid && dkim.report.some(({ is_valid }) => is_valid);
  const rua = `rua=mailto:dmarc@${report.organizational_domain || domain}`;
  if (report.raw === '') {
    const policy = isParked(findings) ? 'reject' : isReady ? 'quarantine' : 'none';
    const then =
      policy === 'reject'
        ? ''
        : policy === 'quarantine'
          ? ', and move to p=reject when the reports show no mail of yours failing'
          : ', read the reports, and tighten the policy when SPF and DKIM pass for all of your mail';
    return [
      {
        points,
        text: `Publish a DMARC policy: ${record(`_dmarc.${domain}`, `v=DMARC1; p=${policy}; ${rua}`)}${then}.`,
      },
    ];
  }
  const name = `_dmarc.${report.record_domain || domain}`;
  if (report.validation_errors.some((error) => error.startsWith('multiple_records'))) {
    return [
      { points, text: `Keep one DMARC record at ${name}; receivers discard all of them as long as there are several.` },
    ];
  }
  const next = nextPolicy(report, isReady || isParked(findings));
  const reasons = [
    ...(report.is_valid ? [] : [explanationsOf(report.validation_errors)]),
    ...(isTestMode ? ['t=y asks receivers to apply a weaker policy than published'] : []),
    ...(report.partial_rollout ? [`pct=${report.percentage} leaves a part of the mail to a weaker policy`] : []),
    ...(next === report.effective_policy
      ? []
      : [
          `p=${report.effective_policy} ${report.effective_policy === 'none' ? 'only watches' : 'still delivers to the spam folder'}`,
        ]),
    ...(report.no_visibility ? ['without rua nobody tells you what fails'] : []),
  ];
  const isHeldBack = points > 0 && next === report.effective_policy && reasons.length === 0;
  if (reasons.length > 0)
    add(`Improve the DMARC record (${reasons.join('; ')}): ${record(name, improved(report, next, rua))}.`);
  else if (isHeldBack) add('Let SPF and DKIM pass for all of your mail first; then tighten the DMARC policy.');
  if (dmarc.subdomainPolicyIsWeaker)
    add(
      `sp=${report.subdomain_policy} protects subdomains less than ${report.record_domain} itself; remove sp to give them the same policy.`,
      0,
    );
  for (const { uri, host, name: missing } of dmarc.unauthorizedDestinations) {
    add(`Reports to ${uri} are dropped until ${host} allows them: ${record(missing, 'v=DMARC1')}.`, 0);
  }
  for (const uri of dmarc.unverifiedDestinations) {
    add(`Whether ${uri} accepts reports could not be verified; check again later.`, 0);
  }
  if (dmarc.historicTags.length > 0)
    add(
      `RFC 9989 has dropped ${dmarc.historicTags.join(', ')}; new receivers ignore ${dmarc.historicTags.length > 1 ? 'them' : 'it'}.`,
      0,
    );
  if (dmarc.modelsDisagree)
    add(
      `Older receivers (RFC 7489) do not find the record at ${name}; publish one at _dmarc.${domain} or at the organizational domain too.`,
      0,
    );
  return advice;
}

const STRICTER = { none: 'quarantine', quarantine: 'reject', reject: 'reject' } as const;

/** One step at a time, and only once both SPF and DKIM work: a stricter policy would lose mail otherwise. */
function nextPolicy({ effective_policy }: DmarcReport, isReady: boolean): DmarcReport['effective_policy'] {
  return isReady ? STRICTER[effective_policy] : effective_policy;
}

/** The record with everything put right at once, without the tags that RFC 9989 dropped. */
function improved(report: DmarcReport, policy: string, rua: string): string {
  const uris = report.aggregate_report_uris.join(',');
  const tags = [
    'v=DMARC1',
    `p=${policy}`,
    uris === '' ? rua : `rua=${uris}`,
    ...(report.forensic_report_uris.length > 0 ? [`ruf=${report.forensic_report_uris.join(',')}`] : []),
    ...(report.dkim_alignment === 's' ? ['adkim=s'] : []),
    ...(report.spf_alignment === 's' ? ['aspf=s'] : []),
  ];
  return tags.join('; ');
}

/** What stands behind the codes, the first three of them. */
function explanationsOf(errors: readonly string[]): string {
  const texts = errors.map((error) => error.replace(/^[a-z0-9_]+: /, '').replace(/\.$/, ''));
  const shown = texts.slice(0, 3).join('; ');
  return texts.length > 3 ? `${shown}; and ${texts.length - 3} more` : shown;
}

function reasonOf(errors: readonly string[]): string {
  const failure = errors.find((error) => error.startsWith('dns_temporary_failure'));
  return failure === undefined ? 'DNS did not answer' : explanationsOf([failure]);
}
