import type { ConnectionType } from '../../record.ts';

/**
 * A row of the hand-written table. `owner` is for readers of the table; in vpn.ts it is also the operator in answers.
 */
export type NetworkRow = readonly [asn: number, role: ConnectionType, owner: string];
