/**
 * Receivers with so many mailboxes that most mail reaches one of them: reports without any of these show a part. Found by
 * the domain of the address that their reports come from, which a signature proves, not by the name that they state.
 */
const LARGE_RECEIVERS: readonly { readonly name: string; readonly domains: readonly string[] }[] = [
  { name: 'Google', domains: ['google.com'] },
  { name: 'Microsoft', domains: ['microsoft.com', 'outlook.com', 'hotmail.com'] },
  { name: 'Yahoo', domains: ['yahoo.com', 'yahoo-inc.com', 'yahooinc.com', 'verizonmedia.com', 'aol.com'] },
  { name: 'Comcast', domains: ['comcast.net', 'comcast.com'] },
  { name: 'Mail.ru', domains: ['mail.ru', 'vk.company'] },
  { name: 'Yandex', domains: ['yandex.ru', 'yandex-team.ru', 'yandex.com', 'yandex.net'] },
  {
    name: '1&1 (GMX, WEB.DE, mail.com)',
    domains: ['gmx.net', 'gmx.com', 'web.de', 'mail.com', '1und1.de', 'ionos.com'],
  },
  { name: 'Tencent', domains: ['qq.com', 'tencent.com'] },
  { name: 'NetEase', domains: ['163.com', '126.com', 'netease.com'] },
  { name: 'Apple', domains: ['apple.com', 'icloud.com'] },
  { name: 'Fastmail', domains: ['fastmail.com', 'fastmailteam.com', 'messagingengine.com'] },
  { name: 'Orange', domains: ['orange.com', 'orange.fr'] },
  { name: 'Seznam', domains: ['seznam.cz', 'firma.seznam.cz'] },
];

/** The name of the receiver; undefined if it is not a large one. A report without an address has a domain as its name. */
export function largeReceiver({ name, email }: { readonly name: string; readonly email: string }): string | undefined {
  const domain = (email === '' ? name : email.slice(email.lastIndexOf('@') + 1)).toLowerCase();
  const isOf = (one: string) => domain === one || domain.endsWith(`.${one}`);
  return LARGE_RECEIVERS.find(({ domains }) => domains.some(isOf))?.name;
}
