/**
 * Bodies of webhooks. In every format the text is shown as it is: it can contain records of others,
 * which must not become links or mentions.
 */
import type { Severity } from '../vocabulary.ts';
import type { AlertMessage } from './message.ts';

export type WebhookFormat = keyof typeof FORMATS;
type Request = { readonly body: string; readonly headers: Readonly<Record<string, string>> };

const JSON_TYPE = { 'content-type': 'application/json' };
const json = (value: unknown): Request => ({ body: JSON.stringify(value), headers: JSON_TYPE });

/** Discord refuses longer ones. */
const DISCORD_CHARACTERS = 2_000;
/** https://docs.ntfy.sh/publish/#message-priority */
const NTFY_PRIORITIES: Readonly<Record<Severity, string>> = { low: '2', medium: '3', high: '4' };

const FORMATS = {
  /** https://github.com/standard-webhooks/standard-webhooks */
  standard: ({ type, text, url, data }: AlertMessage, sentAt: Date) =>
    json({ type, timestamp: sentAt.toISOString(), data: { text, ...(url && { url }), ...data } }),
  slack: ({ text, url }: AlertMessage) =>
    json({ text: escapeSlack(text) + (url === undefined ? '' : `\n<${escapeSlack(url)}>`) }),
  discord: ({ text, url }: AlertMessage) => {
    const link = url === undefined ? '' : `\n<${url}>`;
    const shown = text.replaceAll(/[\\*_`~|[\]()<>#@:-]/g, '\\$&');
    return json({
      content: shown.slice(0, DISCORD_CHARACTERS - link.length) + link,
      allowed_mentions: { parse: [] },
    });
  },
  /** An adaptive card, which workflows of Teams take. A RichTextBlock knows no Markdown. */
  teams: ({ text, url }: AlertMessage) => {
    const lines = text.split('\n').map((line) => ({
      type: 'RichTextBlock',
      inlines: [{ type: 'TextRun', text: line }],
    }));
    const content = {
      type: 'AdaptiveCard',
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      version: '1.4',
      body: lines,
      ...(url && { actions: [{ type: 'Action.OpenUrl', title: 'Open', url }] }),
    };
    const contentType = 'application/vnd.microsoft.card.adaptive';
    return json({ type: 'message', attachments: [{ contentType, content }] });
  },
  ntfy: ({ title, text, url, severity }: AlertMessage) => ({
    body: text,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      title,
      ...(severity && { priority: NTFY_PRIORITIES[severity] }),
      ...(url && { click: url }),
    },
  }),
} as const satisfies Readonly<Record<string, (message: AlertMessage, sentAt: Date) => Request>>;

export function webhookRequest(
  format: WebhookFormat,
  message: AlertMessage,
  sentAt: Date,
): Request {
  return FORMATS[format](message, sentAt);
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
