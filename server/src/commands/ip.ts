/** `whence ip A…`: records of addresses, from the local dataset, and what `--include` asks for. */
import type { Dataset } from '@whence/dataset/read';
import type { Evidence, IpRecord } from '@whence/dataset/record';
import type { Hostname } from '../address/hostname.ts';
import type { Registration } from '../address/registration/rdap-network.ts';
import type { AddressMembers } from '../address/sections.ts';
import { evidenceOf, lookup, specialPurposeOf } from '../lookup/lookup.ts';
import { type ExitCode, UsageError } from '../terminal/exit.ts';
import type { Output } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import type { AddressSection } from '../vocabulary.ts';
import type { IpConfig, OpenSections } from './ip-sections.ts';
import { openLocalDataset } from './local-dataset.ts';

type IpOptions = { json?: boolean; explain?: boolean; include?: ReadonlySet<AddressSection> };

export async function ipCommand(
  config: IpConfig,
  addresses: readonly string[],
  options: IpOptions,
  stdout: Output,
): Promise<ExitCode> {
  const dataset = openLocalDataset(config.dataDir);
  const invalid = addresses.filter((text) => lookup(dataset, text).kind === 'invalid');
  if (invalid.length > 0)
    throw new UsageError(`invalid IP address: ${invalid.map((text) => JSON.stringify(text)).join(', ')}`);
  const { include = new Set<never>() } = options;
  // Loaded if it is asked for: DNS and the HTTP client are half of what this command would load.
  const sections =
    include.size === 0 ? undefined : await (await import('./ip-sections.ts')).openSections(config, include);
  let isEveryFound = true;
  for (const text of addresses) {
    const answer = await answerOf(dataset, text, options, sections);
    stdout.write(options.json === true ? `${JSON.stringify(answer)}\n` : formatAnswer(text, answer));
    isEveryFound &&= 'ip' in answer;
  }
  sections?.close();
  return isEveryFound ? 0 : 1;
}

type Answer =
  | (IpRecord & { evidence?: Evidence[] } & AddressMembers)
  | { error: string; code: string; details?: object };

async function answerOf(
  dataset: Dataset,
  text: string,
  { explain = false }: IpOptions,
  sections: OpenSections | undefined,
): Promise<Answer> {
  const found = lookup(dataset, text);
  if (found.kind === 'found') {
    const record = dataset.record(found.address, found.match);
    const evidence = explain ? { evidence: evidenceOf(dataset, found) } : {};
    return { ...record, ...evidence, ...(await sections?.describe({ dataset, ...found })) };
  }
  const details = found.kind === 'not found' ? specialPurposeOf(found) : undefined;
  return { error: 'no data found for IP', code: 'NOT_FOUND', ...(details === undefined ? {} : { details }) };
}

function formatAnswer(text: string, answer: Answer): string {
  if (!('ip' in answer)) return formatMissing(text, answer.details as ReturnType<typeof specialPurposeOf>);
  const { ip, prefix, asn, asn_name, country, rir, connection_type, detection, threat, evidence } = answer;
  const flags = Object.entries(detection).flatMap(([name, value]) =>
    value === true ? name.replace(/^is_/, '').replaceAll('_', ' ') : [],
  );
  const rows = [
    ['prefix', prefix],
    ['network', `AS${asn} ${asn_name}`],
    ['country', country],
    ['registry', rir],
    ['connection', connection_type],
    ['flags', flags.join(', ') || 'none'],
    ...(detection.cloud_provider === undefined ? [] : [['cloud', detection.cloud_provider]]),
    ...(detection.ai_company === undefined ? [] : [['AI company', detection.ai_company]]),
    ['threat', `${threat.score} of 100, ${threat.level}`],
    ...(threat.explanation ?? []).map((reason) => ['', reason]),
    ...memberRows(answer),
  ];
  const evidenceRows = (evidence ?? []).map(({ field, value, source, prefix: stated, as_of }) => [
    field,
    String(value),
    source,
    stated,
    as_of,
  ]);
  const evidenceHead = ['field', 'value', 'source', 'prefix', 'as of'];
  const evidenceTable = evidenceRows.length === 0 ? '' : `\n${indent(formatTable([evidenceHead, ...evidenceRows]))}`;
  return `${ip}\n${indent(formatTable(rows))}${evidenceTable}\n`;
}

function memberRows({ routing, privacy, hostname, registration }: AddressMembers): string[][] {
  return [
    ...(routing?.origins ?? []).map(({ asn, asn_name, rpki }, i) => [
      i === 0 ? 'origins' : '',
      [`AS${asn}`, asn_name, rpki && `(RPKI: ${rpki.replace('_', ' ')})`].filter(Boolean).join(' '),
    ]),
    ...(privacy === undefined ? [] : [['privacy', [privacy.kind, privacy.service].filter(Boolean).join(', ')]]),
    ...(hostname === undefined ? [] : [['hostname', hostnameText(hostname)]]),
    ...(registration === undefined ? [] : registrationRows(registration)),
  ];
}

function registrationRows({ error, ...fields }: Registration): string[][] {
  if (error !== undefined) return [['registration', 'unknown: the registry did not answer']];
  const rows = Object.entries(fields).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`);
  return rows.map((text, i) => [i === 0 ? 'registration' : '', text]);
}

function hostnameText({ name, is_confirmed, crawler, error }: Hostname): string {
  if (name === undefined) return error === undefined ? 'none' : 'unknown: DNS did not answer';
  if (error !== undefined) return `${name}, not confirmed: DNS did not answer`;
  const forged = crawler === undefined ? 'does not lead back to the address' : `forged, not ${crawler.name}`;
  return [name, is_confirmed === true ? crawler && `verified ${crawler.name}` : forged].filter(Boolean).join(', ');
}

function formatMissing(text: string, special: ReturnType<typeof specialPurposeOf>): string {
  const why = special === undefined ? 'not announced' : `${special.prefix} is ${special.name} (${special.rfc})`;
  return `${text}\n  no data found for IP: ${why}\n\n`;
}

const indent = (text: string) => text.replace(/^(?=.)/gm, '  ');
