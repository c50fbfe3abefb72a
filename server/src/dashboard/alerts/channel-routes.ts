/**
 * Where events of watched domains are alerted. Administrators change it; an account sees its own.
 */
import type { Alerts } from '../../alerts/alerts.ts';
import { type Channels, describeChannel, describeDelivery } from '../../alerts/channels.ts';
import { present } from '../../present.ts';
import type { AccountStore } from '../../storage/stores/account-store.ts';
import type { StoredChannel } from '../../storage/stores/alert-store.ts';
import { forAdmins, forViewers, publicRoute, QUERY, type Rows } from '../requests/ask.ts';
import { DashboardRefusal, invalid } from '../requests/refusal.ts';
import type { Channel } from '../wire/alerts.ts';

type ChannelSources = {
  readonly channels: Channels;
  readonly eventAlerts: Pick<Alerts, 'test'>;
  readonly storage: { readonly accounts: Pick<AccountStore, 'find' | 'names'> };
};

export function channelRoutes({ channels, eventAlerts, storage }: ChannelSources) {
  const find = async (id: string): Promise<StoredChannel> => {
    const channel = await channels.find(id);
    if (channel === undefined) throw new DashboardRefusal('NOT_FOUND');
    return channel;
  };
  const describe = async (stored: readonly StoredChannel[]): Promise<Channel[]> => {
    const names = await storage.accounts.names(stored.map(({ accountId }) => accountId));
    return stored.map((channel) => ({
      ...describeChannel(channel),
      account: names.get(channel.accountId) ?? '',
    }));
  };
  const describeOne = async (channel: StoredChannel): Promise<Channel> => {
    const [described] = await describe([channel]);
    if (described === undefined) throw new DashboardRefusal('NOT_FOUND');
    return described;
  };
  return {
    listChannels: forViewers(async ({ session }) => {
      const { id, role } = session.account;
      const stored = await channels.list();
      const shown = stored.filter(({ accountId }) => role === 'admin' || accountId === id);
      return {
        channels: await describe(shown),
        ...present({ email_problem: channels.mailProblem }),
      };
    }),
    createChannel: forAdmins(async ({ body, session, actor, now }) => {
      const accountId = body.account_id ?? session.account.id;
      if ((await storage.accounts.find(accountId)) === undefined)
        throw invalid('/account_id', 'the id of an account');
      const channel = await channels.create(
        {
          name: body.name,
          format: body.format,
          target: body.target,
          minSeverity: body.min_severity,
          tags: body.tags ?? [],
          accountId,
        },
        actor,
        now,
      );
      return { channel: await describeOne(channel), ...present({ secret: channel.secret }) };
    }),
    changeChannel: forAdmins(async ({ params, body, actor, now }) => {
      const changed = present({ name: body.name, minSeverity: body.min_severity, tags: body.tags });
      const channel = await channels.change(await find(params.id), changed, actor, now);
      return { channel: await describeOne(channel) };
    }),
    deleteChannel: forAdmins(async ({ params, actor, now }) => {
      await channels.remove(await find(params.id), actor, now);
      return { done: true };
    }),
    testChannel: forAdmins(async ({ params, now }) => {
      const channel = await find(params.id);
      // An address gets no test before it is confirmed.
      if (channel.confirmedAt !== undefined)
        return { delivery: describeDelivery(await eventAlerts.test(channel)) };
      await channels.sendConfirmation(channel, now);
      return {};
    }),
    listDeliveries: forViewers(async ({ params, session }) => {
      const channel = await find(params.id);
      const { id, role } = session.account;
      if (role !== 'admin' && channel.accountId !== id) throw new DashboardRefusal('NOT_FOUND');
      return { deliveries: (await channels.lastDeliveries(channel.id)).map(describeDelivery) };
    }),
    confirmRecipient: publicRoute(QUERY, async ({ body, client, now }) => {
      if (!(await channels.confirm(body.token, client.address, now)))
        throw new DashboardRefusal('LINK_EXPIRED');
      return { done: true };
    }),
  } satisfies Rows;
}
