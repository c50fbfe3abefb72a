/** What the mail of a sender is to the domain. Pages in a browser read it too. */

/** In the order in which they are tried. */
export const SENDER_CLASSES = [
  'passes',
  'ours_broken',
  'forwarded',
  'at_named_service',
  'undecided',
  'not_ours',
] as const;
export type SenderClass = (typeof SENDER_CLASSES)[number];

/** Mail of the domain that a policy would refuse. */
export const isLostClass = (senderClass: SenderClass): boolean =>
  senderClass === 'ours_broken' || senderClass === 'at_named_service';
