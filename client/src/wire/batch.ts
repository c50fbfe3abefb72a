/** Many addresses in one request. */
import type { AddressMembers, LocalAddressSection } from './address-sections.ts';
import type { ErrorCode } from './errors.ts';
import type { IpRecord } from './ip.ts';

export type BatchRequest = { ips: string[]; include?: LocalAddressSection[] };
/** `'error' in entry` distinguishes the two. */
export type BatchEntry = (IpRecord & Pick<AddressMembers, LocalAddressSection>) | BatchRefusal;
export type BatchRefusal = { error: string; code: ErrorCode };
/** The keys are the submitted strings and may include `__proto__`: check with `Object.hasOwn`. */
export type BatchAnswer = Record<string, BatchEntry>;
