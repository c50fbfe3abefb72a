/**
 * Mail providers whose MX hosts tell what to include in SPF: their mail is not sent by the hosts that receive it, so
 * `mx` would not cover it. These are the names that the providers tell their customers to include.
 */
const PROVIDERS: readonly (readonly [mxDomain: string, include: string])[] = [
  ['google.com', '_spf.google.com'],
  ['googlemail.com', '_spf.google.com'],
  ['mail.protection.outlook.com', 'spf.protection.outlook.com'],
  ['mx.microsoft', 'spf.protection.outlook.com'],
  ['messagingengine.com', 'spf.messagingengine.com'],
  ['protonmail.ch', '_spf.protonmail.ch'],
  ['mail.icloud.com', 'icloud.com'],
  ['mx.yandex.net', '_spf.yandex.net'],
  ['emailsrvr.com', 'emailsrvr.com'],
  ['secureserver.net', 'secureserver.net'],
  ['mail.ovh.net', 'mx.ovh.com'],
  ['mail.gandi.net', '_mailcust.gandi.net'],
  ['migadu.com', 'spf.migadu.com'],
  ['mailbox.org', 'mailbox.org'],
];

/** What to include for the provider of an MX host; undefined if it is not in the list. */
export function includeFor(mxHost: string): string | undefined {
  return PROVIDERS.find(([domain]) => mxHost === domain || mxHost.endsWith(`.${domain}`))?.[1];
}
