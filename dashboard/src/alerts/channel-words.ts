/** Channels of alerts and their deliveries in words. */
import type {
  ChannelFormat,
  DeliveryKind,
  DeliveryState,
  Severity,
} from '@whence/server/vocabulary';

export const FORMAT_WORDS: Readonly<Record<ChannelFormat, string>> = {
  standard: 'Webhook',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Teams',
  ntfy: 'ntfy',
  email: 'Email',
};

export const SEVERITY_CHOICES: readonly { value: Severity; label: string }[] = [
  { value: 'low', label: 'Every event' },
  { value: 'medium', label: 'Medium and high' },
  { value: 'high', label: 'High only' },
];

export const severityWords = (severity: Severity): string =>
  SEVERITY_CHOICES.find(({ value }) => value === severity)?.label ?? severity;

export const KIND_WORDS: Readonly<Record<DeliveryKind, string>> = {
  opened: 'event began',
  resolved: 'event ended',
  summary: 'weekly summary',
  test: 'test',
};

export const STATE_TONES = {
  waiting: 'plain',
  delivered: 'good',
  failed: 'bad',
  dropped: 'plain',
} as const satisfies Record<DeliveryState, string>;
