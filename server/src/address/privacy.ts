// The kind of privacy service behind an address, from the record's flags, so that overrides apply,
// and its name from the evidence. A relay has no flag: it is neither a VPN nor suspicious.

import type { Dataset } from '@whence/dataset/dataset';
import type { Match } from '@whence/dataset/match';

type PrivacyKind = 'relay' | 'vpn' | 'tor' | 'proxy';
export type Privacy = { kind: PrivacyKind; service?: string };

export function privacyOf(dataset: Dataset, match: Match): Privacy | undefined {
  const set = dataset.attributesOf(match);
  const { is_tor_exit, is_vpn, is_proxy } = dataset.attributes(set).detection;
  const names = new Map<string, string>();
  for (const [field, , value] of dataset.decisions(set)) {
    // The first source that names a service is the one that decided the flag.
    if (typeof value === 'string' && !names.has(field)) names.set(field, value);
  }
  // The operator of a Tor exit is not the service: the service is Tor.
  if (is_tor_exit) return { kind: 'tor' };
  if (is_vpn) return named('vpn', names.get('vpn_service'));
  // The compiler never flags a relay as a VPN. One that has the flag has it from the operator of
  // this server.
  const relay = names.get('relay');
  if (relay !== undefined) return named('relay', relay);
  return is_proxy ? { kind: 'proxy' } : undefined;
}

function named(kind: PrivacyKind, service: string | undefined): Privacy {
  return service === undefined ? { kind } : { kind, service };
}
