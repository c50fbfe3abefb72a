import type { Flag, FlagSubject } from '@whence/client/wire';

export const FLAG_WORDS: Readonly<Record<Flag, string>> = {
  is_datacenter: 'datacenter',
  is_tor_exit: 'Tor exit',
  is_proxy: 'proxy',
  is_vpn: 'VPN',
  is_residential: 'residential',
  is_mobile: 'mobile',
  is_ai_crawler: 'AI crawler',
};

export const SUBJECT_WORDS: Readonly<Record<FlagSubject, string>> = { ...FLAG_WORDS, blocklists: 'blocklists' };
