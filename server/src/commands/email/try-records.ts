/**
 * `wh email DOMAIN --try FILE`: what the check would say with the records of a file, and what they
 * would break.
 */
import { visible } from '@whence/email/visible-text';
import type { TrialReport, TrialState } from '../../email-checks/trial-report.ts';
import { textLines } from '../../enrich/input.ts';
import { type ExitCode, InputError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { hanging, type Style } from '../../terminal/style.ts';
import { formatCount } from '../../terminal/table.ts';
import type { EmailSource } from './outcome.ts';

const MAX_CHARACTERS = 64 * 1024;
const MAX_LINE_CHARACTERS = 20_000;

/**
 * Exit code 0 if the change would break nothing, 1 if it would, 4 if DNS did not answer for all.
 */
export async function tryRecords(
  source: EmailSource,
  domain: string,
  path: string,
  { isJson, style }: { readonly isJson: boolean; readonly style: Style },
  { stdin, stdout, stderr }: CommandStreams,
): Promise<ExitCode> {
  const zone = await readZone(path, stdin);
  const outcome = await source.tryRecords(domain, zone);
  if (outcome.kind === 'failed') {
    stderr.write(`error: ${outcome.reason}\n`);
    return 3;
  }
  const { trial } = outcome;
  stdout.write(isJson ? jsonLine(trial) : formatTrial(trial, style));
  if (trial.risks.length > 0) return 1;
  return trial.after.unverified.length > 0 ? 4 : 0;
}

async function readZone(path: string, stdin: CommandStreams['stdin']): Promise<string> {
  let zone = '';
  for await (const lines of textLines(path, stdin, MAX_LINE_CHARACTERS)) {
    zone += `${lines.join('\n')}\n`;
    if (zone.length > MAX_CHARACTERS) throw new InputError(`--try: ${path} has more than 64 KiB`);
  }
  return zone;
}

function formatTrial(trial: TrialReport, style: Style): string {
  const { domain, before, after, risks, appeared, vanished, advice, lookups, senders, notes } =
    trial;
  const list = (title: string, texts: readonly string[], mark: string) =>
    texts.length === 0
      ? []
      : [
          `${style.bold(title)}\n${texts.map((text) => hanging(`  ${mark} `, 4, visible(text), style)).join('')}`,
        ];
  const findingText = ({ part, text }: { part: string; text: string }) =>
    `${part.toUpperCase()} ${text}`;
  const networks = (amounts: TrialReport['senders']['gained']) =>
    amounts.map(
      ({ asn, asn_name, ipv4_addresses, ipv6_48s }) =>
        `${asn === 0 ? 'other networks' : `AS${asn} ${asn_name}`}: ${formatCount(ipv4_addresses)} IPv4 addresses${ipv6_48s === 0 ? '' : `, ${formatCount(ipv6_48s)} IPv6 /48s`}`,
    );
  const sections = [
    `${style.bold(visible(domain))}: ${stateText(before)} → ${stateText(after)}\n`,
    ...list(
      'What this would break',
      risks.map(({ text }) => text),
      style.red('!'),
    ),
    ...(after.risk === '' ? [] : [hanging('', 0, `After it: ${after.risk}.`, style)]),
    ...list('Appears', appeared.map(findingText), style.red('+')),
    ...list('Vanishes', vanished.map(findingText), style.green('-')),
    `SPF lookups: ${lookups.before} → ${lookups.after} of ${lookups.limit}\n`,
    ...list('May send then', networks(senders.gained), '+'),
    ...list('May no longer send', networks(senders.lost), '-'),
    ...list(
      'Advice after it',
      advice.appeared.map(({ text }) => text),
      ' ',
    ),
    ...list('How the file was read', notes, ' '),
  ];
  return sections.join('\n');
}

function stateText({ grade, unverified, score }: TrialState): string {
  return `${grade}${unverified.length === 0 ? '' : '?'}, ${score} of 100`;
}
