/** How classes of senders look: red for what their owner should repair, green for what was verified. */
import type { SenderService } from '@whence/client/wire';

export const CLASS_TONES = {
  passes: 'good',
  ours_broken: 'bad',
  at_named_service: 'warn',
  forwarded: 'plain',
  not_ours: 'plain',
} as const satisfies Record<SenderService['class'], string>;
