/** One connection that all share: statements are sent without waiting for earlier answers. Not for transactions. */
import type { Connection, Pool } from './pool.ts';

type Shared = { readonly opening: Promise<Connection>; users: number; isReleased: boolean };

export function shareConnection(pool: Pool): Pool {
  let current: Shared | undefined;
  const leave = (shared: Shared) => {
    if (current === shared) current = undefined;
  };
  const open = () => {
    const shared: Shared = { opening: pool.connect(), users: 0, isReleased: false };
    current = shared;
    // Reported to those who wait for it; the next caller opens another one.
    shared.opening.catch(() => leave(shared));
    return shared;
  };
  const use = async (shared: Shared): Promise<Connection> => {
    shared.users++;
    const connection = await shared.opening;
    return {
      ...connection,
      release() {
        shared.users--;
        // One that broke is closed for all who use it: an answer that never comes must not keep it.
        if (shared.isReleased || (shared.users > 0 && !connection.isBroken())) return;
        shared.isReleased = true;
        leave(shared);
        connection.release();
      },
    };
  };
  return {
    async connect() {
      for (;;) {
        const shared = current ?? open();
        const connection = await use(shared);
        if (!connection.isBroken()) return connection;
        // It broke, or was given up: another one is opened.
        leave(shared);
        connection.release();
      }
    },
    renew: () => pool.renew(),
    end: () => pool.end(),
  };
}
