/**
 * Mail providers, as far as their customers' records show them: the MX hosts they give, what they tell customers to
 * include in SPF, and the DKIM selectors they use. A selector cannot be found without its name, and mail is not sent by
 * the hosts that receive it, so `mx` in SPF would not cover it.
 */

export type Provider = {
  readonly name: string;
  /** MX hosts are one of these names, or below one. */
  readonly mx: readonly string[];
  /** What to include, the preferred name first. Empty if it differs from customer to customer. */
  readonly includes: readonly string[];
  /** Other names that show the provider in an SPF record. */
  readonly spfNames: readonly string[];
  readonly selectors: readonly string[];
};

function provider(
  name: string,
  mx: string,
  includes: string,
  selectors = '',
  { spfNames = '' }: { readonly spfNames?: string } = {},
): Provider {
  const words = (text: string) => text.split(' ').filter((word) => word !== '');
  return {
    name,
    mx: words(mx),
    includes: words(includes),
    spfNames: words(spfNames),
    selectors: words(selectors),
  };
}

const zoho = (region: string) =>
  provider(`Zoho (${region})`, `zoho.${region} zohomail.${region}`, `zohomail.${region} zoho.${region}`, 'zmail zoho', {
    spfNames: `one.zoho.${region}`,
  });

/** Mailboxes first: where their users send from is what SPF has to name. */
const PROVIDERS: readonly Provider[] = [
  provider('Google', 'google.com googlemail.com', '_spf.google.com', 'google', {
    spfNames: '_netblocks.google.com aspmx.googlemail.com',
  }),
  provider(
    'Microsoft 365',
    'mail.protection.outlook.com mx.microsoft',
    'spf.protection.outlook.com',
    'selector1 selector2',
  ),
  ...['com', 'eu', 'in', 'com.au', 'jp', 'sa'].map(zoho),
  provider('Fastmail', 'messagingengine.com', 'spf.messagingengine.com', 'fm1 fm2 fm3 mesmtp'),
  provider('Proton', 'protonmail.ch', '_spf.protonmail.ch', 'protonmail protonmail2 protonmail3'),
  provider('iCloud', 'mail.icloud.com', 'icloud.com', 'sig1'),
  provider('Yandex', 'mx.yandex.net mx.yandex.ru', '_spf.yandex.net _spf.yandex.ru', 'mail'),
  provider('VK WorkSpace', 'emx.mail.ru', '_spf.mail.ru', 'mailru'),
  provider('OVHcloud', 'mail.ovh.net mx.ovh.com', 'mx.ovh.com'),
  provider(
    'IONOS',
    'ionos.com ionos.de ionos.co.uk ionos.fr ionos.es ionos.it ionos.ca ionos.mx kundenserver.de 1and1.com perfora.net',
    '_spf-eu.ionos.com _spf-us.ionos.com _spf.kundenserver.de',
    's1-ionos s2-ionos',
    { spfNames: '_spf.perfora.net _spf.1and1.com' },
  ),
  provider('Strato', 'rzone.de', '_spf.strato.com', 'strato-dkim-0002 strato-dkim-0003', {
    spfNames: 'smtp.strato.de',
  }),
  provider('Gandi', 'mail.gandi.net', '_mailcust.gandi.net', 'gm1 gm2 gm3'),
  provider('Hostinger', 'hostinger.com', '_spf.mail.hostinger.com', 'hostingermail-a hostingermail-b hostingermail-c'),
  provider('mailbox.org', 'mailbox.org', 'mailbox.org', 'mbo0001 mbo0002 mbo0003 mbo0004'),
  provider('Migadu', 'migadu.com', 'spf.migadu.com', 'key1 key2 key3'),
  provider('Rackspace', 'emailsrvr.com', 'emailsrvr.com'),
  provider('GoDaddy', 'secureserver.net', 'secureserver.net'),
  provider('Titan', 'titan.email', 'spf.titan.email', 'titan1 titan2'),
  provider('Private Email', 'privateemail.com', 'spf.privateemail.com', 'default'),
  provider('Cloudflare Email Routing', 'mx.cloudflare.net', '_spf.mx.cloudflare.net', 'cf2024-1'),
  provider('ImprovMX', 'improvmx.com', 'spf.improvmx.com', 'dkimprovmx1 dkimprovmx2'),
  provider('Forward Email', 'forwardemail.net', 'spf.forwardemail.net'),
  provider('Infomaniak', 'infomaniak.ch', 'spf.infomaniak.ch'),
  provider('Tuta', 'tutanota.de', 'spf.tutanota.de', 's1 s2'),
  provider('Runbox', 'runbox.com', 'spf.runbox.com', 'selector1 selector2'),
  provider('DreamHost', 'dreamhost.com', 'netblocks.dreamhost.com', 'dreamhost'),
  provider('Hosted Email', 'hostedemail.com', '_spf.hostedemail.com'),
  provider('Loopia', 'loopia.se', 'spf.loopia.se'),
  provider('one.com', 'one.com', '_custspf.one.com'),
  provider('Aruba', 'aruba.it', '_spf.aruba.it'),
  provider('Tencent', 'mxbiz1.qq.com mxbiz2.qq.com', 'spf.mail.qq.com'),
  provider('Alibaba Mail', 'mxhichina.com', 'spf.qiye.aliyun.com spf.mxhichina.com'),
  provider(
    'Amazon SES',
    [
      'us-east-1',
      'us-west-2',
      'eu-west-1',
      'eu-central-1',
      'eu-west-2',
      'ap-southeast-2',
      'ap-northeast-1',
      'ca-central-1',
    ]
      .map((region) => `inbound-smtp.${region}.amazonaws.com`)
      .join(' '),
    'amazonses.com',
  ),
  // Services that send; some receive too.
  provider('Mailgun', 'mailgun.org', 'mailgun.org', 'pic mailo k1', { spfNames: 'eu.mailgun.org' }),
  provider('SendGrid', 'mx.sendgrid.net', 'sendgrid.net', 's1 s2'),
  provider('Postmark', 'inbound.postmarkapp.com', 'spf.mtasv.net', 'pm'),
  provider('Mailchimp', '', 'servers.mcsv.net', 'k1 k2 k3'),
  provider('Mandrill', '', 'spf.mandrillapp.com', 'mandrill mte1 mte2'),
  provider('HubSpot', '', '', '', { spfNames: 'hubspotemail.net' }),
  provider('Salesforce', '', '_spf.salesforce.com'),
  provider('Zendesk', '', 'mail.zendesk.com', 'zendesk1 zendesk2'),
  provider('Brevo', '', 'spf.brevo.com', 'mail brevo1 brevo2', { spfNames: 'spf.sendinblue.com' }),
  provider('Mailjet', '', 'spf.mailjet.com', 'mailjet'),
  provider('MailerLite', '', '_spf.mlsend.com', 'litesrv ml'),
  provider('ActiveCampaign', '', 'emsd1.com', 'acdkim1'),
  provider('Elastic Email', '', '_spf.elasticemail.com', 'api'),
];

/** The provider of an MX host; undefined if it is not in the list. */
export function providerOf(mxHost: string): Provider | undefined {
  return PROVIDERS.find(({ mx }) => mx.some((name) => isWithin(mxHost, name)));
}

export function isWithin(name: string, parent: string): boolean {
  return name === parent || name.endsWith(`.${parent}`);
}

/** By the names that an SPF record has of them. A record may have a thousand names. */
const BY_SPF_NAME = new Map(
  PROVIDERS.flatMap((one) => [...one.includes, ...one.spfNames].map((name) => [name, one] as const)),
);

/** Those that the MX hosts, and names in SPF records or in what was meant as one, show. */
function providersSeen(mxHosts: readonly string[], spfTexts: readonly string[]): Set<Provider> {
  const bySpf = spfTexts.flatMap(namesIn).map((name) => {
    const labels = name.split('.').slice(-MAX_LABELS);
    const known = labels.map((_, at) => BY_SPF_NAME.get(labels.slice(at).join('.')));
    return known.find((one) => one !== undefined);
  });
  return new Set([...mxHosts.map(providerOf), ...bySpf].filter((known) => known !== undefined));
}

/** Labels of the longest name in the list, and one more. */
const MAX_LABELS = 5;
const MAX_SPF_CHARACTERS = 4096;

/** Also of terms that are written wrongly: which selectors are asked must not depend on a repair of the record. */
function namesIn(text: string): string[] {
  return (
    text
      .slice(0, MAX_SPF_CHARACTERS)
      .toLowerCase()
      .match(/[a-z0-9_-]+(?:\.[a-z0-9_-]+)+/g) ?? []
  );
}

/** The TXT records that are SPF, or were meant as such. */
export function spfTexts(txt: readonly string[]): string[] {
  return txt.filter((text) => /spf/i.test(text.slice(0, 20)));
}

/** The most that a check asks for beside the common ones. */
const MAX_PROVIDER_SELECTORS = 10;

/** Selectors of the providers that the records show, each once. */
export function providerSelectors(mxHosts: readonly string[], spfTexts: readonly string[]): string[] {
  const selectors = [...providersSeen(mxHosts, spfTexts)].flatMap((seen) => seen.selectors);
  const accounts = spfTexts.flatMap(namesIn).flatMap(hubSpotSelectors);
  return [...new Set([...selectors, ...accounts])].slice(0, MAX_PROVIDER_SELECTORS);
}

/** HubSpot names keys after the account, which is also the first label of the name to include. */
function hubSpotSelectors(name: string): string[] {
  const [, account] = /^(\d{3,12})\.spf\d*\.hubspotemail\.net$/.exec(name) ?? [];
  return account === undefined ? [] : [`hs1-${account}`, `hs2-${account}`];
}
