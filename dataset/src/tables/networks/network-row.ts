/** What a network mainly is, in the words of the specification's connection_type. */
export type Role = 'residential' | 'mobile' | 'datacenter' | 'business' | 'education';

/** One line of the hand-written table: AS number, role, and whom the number belongs to, for the reader. */
export type NetworkRow = readonly [asn: number, role: Role, who: string];
