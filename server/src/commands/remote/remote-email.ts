/**
 * `wh email --url`: reports of a server. The answer of the API has the report but not what it was made from, so the text
 * has no SPF tree and no points of the parts; JSON is the same.
 */
import type { EmailReport as RemoteReport } from '@whence/client/wire';
import { PARTS, partViews } from '@whence/email/internal/report/part-state';
import { isFailureText } from '@whence/email/internal/report/report-change';
import { visible } from '@whence/email/internal/visible-text';
import { CommandError, type ExitCode, UsageError } from '../../terminal/exit.ts';
import { StreamSink } from '../../terminal/output.ts';
import { cutToWidth, hanging, type Style } from '../../terminal/style.ts';
import type { ListedDomain } from '../email/domain-list.ts';
import type { EmailOptions } from '../email/email.ts';
import type { EmailStreams } from '../email/email-run.ts';
import { inOrder } from '../email/in-order.ts';
import { formatNetworks } from '../email/networks-text.ts';
import { visibleJson } from '../email/report-json.ts';
import { formatErrors, gradePaint } from '../email/report-marks.ts';
import { formatTransport } from '../email/transport-text.ts';
import { type RemoteServer, remoteError } from './remote-server.ts';

/** A server checks a few domains at a time for a key; more would wait there. */
const PARALLEL = 4;

export function rejectLocalOnly({ csv, diff, save, selectors }: EmailOptions): void {
  const given = { '--csv': csv, '--diff': diff, '--save': save, '--selectors': selectors };
  const [option] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (option !== undefined)
    throw new UsageError(`${option} needs a check by this machine; it has no effect with --url`);
}

/** 0 if every domain has grade A or B. */
export async function remoteEmail(
  server: RemoteServer,
  listed: readonly ListedDomain[],
  { json, transport, networks }: EmailOptions,
  selectors: readonly string[] | undefined,
  style: Style,
  { stdout, stderr }: EmailStreams,
): Promise<ExitCode> {
  const client = server.client();
  const sink = new StreamSink(stdout);
  const include = [
    ...(transport === true ? (['transport'] as const) : []),
    ...(networks === true ? (['networks'] as const) : []),
  ];
  const check = async ({ text, domain }: ListedDomain) => {
    if (domain === undefined) return { domain: text, error: 'invalid domain', code: 'INVALID_DOMAIN' };
    try {
      return (await client.emailDomain(domain, { include, ...(selectors && { selectors }) })).data;
    } catch (error) {
      const failure = remoteError(error, server.url, new Date());
      if (!(failure instanceof CommandError)) throw failure;
      return { domain, error: failure.message, code: (error as { code: string }).code };
    }
  };
  let isEveryGood = true;
  for await (const answer of inOrder(listed, PARALLEL, check)) {
    const isGood = !('error' in answer) && (answer.grade === 'A' || answer.grade === 'B');
    isEveryGood &&= isGood;
    if (json === true) await sink.write(`${visibleJson(answer)}\n`);
    else if ('error' in answer) stderr.write(`error: ${visible(answer.domain)}: ${visible(answer.error)}\n`);
    else await sink.write(formatRemote(answer, style));
  }
  return isEveryGood ? 0 : 1;
}

function formatRemote(report: RemoteReport, style: Style): string {
  const { domain, grade, domain_auth_score, mx, spf, dkim, dmarc, recommendations, transport, networks } = report;
  const errors = {
    mx: mx.errors,
    spf: spf.validation_errors,
    dkim: dkim.flatMap(({ selector, validation_errors }) => validation_errors.map((error) => `${selector}: ${error}`)),
    dmarc: dmarc.validation_errors,
  };
  const unverified = PARTS.filter((part) => errors[part].some(isFailureText));
  const views = partViews(report, { unverified, risk: '', isFinished: false });
  const parts = PARTS.map((part) => {
    const text = cutToWidth(visible(views[part].words), style.width - 7);
    return `${part.toUpperCase().padEnd(7)}${text}\n${formatErrors(errors[part], 7, style)}`;
  });
  const sections = [
    `${style.bold(domain)}: ${style.bold(gradePaint(style, grade)(grade))}, ${domain_auth_score} of 100\n`,
    parts.join(''),
    ...(transport === undefined ? [] : [formatTransport(transport, style)]),
    ...(networks === undefined ? [] : [formatNetworks(networks, style)]),
    ...(recommendations.length === 0
      ? []
      : [
          `${style.bold('What to fix first')}\n${recommendations.map((text) => hanging('  ', 2, visible(text), style)).join('')}`,
        ]),
  ];
  return `${sections.join('\n')}\n`;
}
