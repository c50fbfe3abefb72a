/** Channels of alerts as the dashboard shows them. */
import type { describeChannel, describeDelivery } from '../../alerts/channels.ts';

/** `target` is the address of the recipient, or of a webhook only the origin. */
export type Channel = ReturnType<typeof describeChannel> & {
  /** Name of the account whose rights decide what is sent. */
  account: string;
};
export type Delivery = ReturnType<typeof describeDelivery>;

export type ChannelPage = {
  channels: Channel[];
  /** What has to be set before there can be channels by email. */
  email_problem?: string;
};
/** The secret is shown once. */
export type CreatedChannel = { channel: Channel; secret?: string };
