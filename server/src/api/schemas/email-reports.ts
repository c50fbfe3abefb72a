/** `POST /v1/email/reports`. */
import { integer, list, namedObject, oneOfTexts, string } from '../../http/json-schema.ts';
import { envelope, operation, refusal, refusals } from './refusals.ts';

export const emailReportsSchema = operation('Email', {
  operationId: 'importReports',
  summary: 'Import DMARC aggregate reports and TLS reports',
  description:
    'The file as a receiver sent it: XML or JSON, gzip, zip, or the whole message, at most 10 MiB. Its kind is found by its content. A message is believed only if it has a DKIM signature of the reporter’s domain.',
  consumes: ['application/octet-stream'],
  documentedBody: { type: 'string', format: 'binary' },
  response: {
    200: envelope(
      'What it holds.',
      namedObject('ImportedReports', {
        reports: list(
          namedObject('ImportedReport', {
            kind: oneOfTexts(['dmarc', 'tls', ''], '`tls`: RFC 8460. Empty for what is not read.'),
            reporter: string('Who sent it, as it says.', 'google.com'),
            id: string('Its id at the reporter.', '2122885654478337555'),
            domain: string('The domain it is about, in A-labels.', 'example.com'),
            begin: integer('Begin of its period, in seconds since 1970.'),
            end: integer('End of its period.'),
            rows: integer('Its rows; of a TLS report, its sums by policy, host and result.'),
            messages: integer('Its messages; of a TLS report, its sessions.'),
            state: oneOfTexts(['read', 'repeated', 'not_read']),
            reason: string(
              'Why it is not read, or not used for verdicts, as `code: explanation`; or empty.',
            ),
          }),
        ),
      }),
    ),
    413: refusal('Body over 10 MiB.', 'PAYLOAD_TOO_LARGE'),
    415: refusal('Body that is no report, archive or message.', 'UNSUPPORTED_MEDIA_TYPE'),
    ...refusals,
    503: refusal('Storage is down, or the server is overloaded or was upgraded.', [
      'STORAGE_UNAVAILABLE',
      'OVERLOADED',
      'RESTART_REQUIRED',
    ]),
  },
});
