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
  /**
   * For a service whose bounces go to a domain of its own unless that is changed: SPF then passes for that domain, which
   * is not the one in From, so that its mail passes DMARC only with a signature (RFC 9989 §4.4). `setup` is where the
   * customer switches that on, `keyHosts` what the selectors are aliases of.
   */
  readonly signing?: { readonly setup: string; readonly keyHosts: readonly string[] };
};

type More = { readonly spfNames?: string; readonly setup?: string; readonly keyHosts?: string };

function provider(
  name: string,
  mx: string,
  includes: string,
  selectors = '',
  { spfNames = '', setup, keyHosts = '' }: More = {},
): Provider {
  const words = (text: string) => text.split(' ').filter((word) => word !== '');
  return {
    name,
    mx: words(mx),
    includes: words(includes),
    spfNames: words(spfNames),
    selectors: words(selectors),
    ...(setup !== undefined && { signing: { setup, keyHosts: words(keyHosts) } }),
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
    'IONOS (US)',
    'ionos.com 1and1.com perfora.net ionos.ca ionos.mx',
    '_spf-us.ionos.com',
    's1-ionos s2-ionos',
    {
      spfNames: '_spf.perfora.net _spf.1and1.com',
    },
  ),
  provider(
    'IONOS (EU)',
    'ionos.de ionos.co.uk ionos.fr ionos.es ionos.it kundenserver.de',
    '_spf-eu.ionos.com _spf.kundenserver.de',
    's1-ionos s2-ionos',
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
    '',
    { setup: 'verify the domain with Easy DKIM', keyHosts: 'dkim.amazonses.com' },
  ),
  // Services that send; some receive too. The name of a part comes before that of the whole.
  provider('Mailgun (EU)', 'eu.mailgun.org', 'eu.mailgun.org', 'pic mailo k1', {
    setup: 'publish the DKIM record of Sending, Domain settings',
    keyHosts: 'eu.mailgun.org',
  }),
  provider('Mailgun', 'mailgun.org', 'mailgun.org', 'pic mailo k1', {
    setup: 'publish the DKIM record of Sending, Domain settings',
    keyHosts: 'mailgun.org',
  }),
  provider('SendGrid', 'mx.sendgrid.net', 'sendgrid.net', 's1 s2', {
    setup: 'authenticate the domain under Settings, Sender authentication',
    keyHosts: 'sendgrid.net',
  }),
  provider('Postmark', 'inbound.postmarkapp.com', 'spf.mtasv.net', 'pm', {
    setup: 'publish the DKIM record of Sender signatures',
    keyHosts: 'mtasv.net postmarkapp.com',
  }),
  provider('Mailchimp', '', 'servers.mcsv.net', 'k1 k2 k3', {
    setup: 'authenticate the domain under Website, Domains',
    keyHosts: 'mcsv.net',
  }),
  provider('Mandrill', '', 'spf.mandrillapp.com', 'mandrill mte1 mte2', {
    setup: 'add the DKIM records of Settings, Domains',
    keyHosts: 'mandrillapp.com',
  }),
  provider('HubSpot', '', '', '', {
    spfNames: 'hubspotemail.net',
    setup: 'connect the domain as an email sending domain',
    keyHosts: 'hubspotemail.net',
  }),
  provider('Salesforce', '', '_spf.salesforce.com', 'salesforce sf1 sf2', {
    spfNames: '_spf.mta.salesforce.com',
    setup: 'create and activate a key under Setup, DKIM Keys',
    keyHosts: 'custdkim.salesforce.com',
  }),
  provider('Marketing Cloud', '', 'cust-spf.exacttarget.com', '', {
    setup: 'set up a private domain with Sender Authentication',
    keyHosts: 'exacttarget.com',
  }),
  provider('Pardot', '', 'aspmx.pardot.com et._spf.pardot.com', '', {
    setup: 'verify the domain under Domain Management',
    keyHosts: 'pardot.com',
  }),
  provider('Zendesk', '', 'mail.zendesk.com', 'zendesk1 zendesk2', {
    setup: 'enable DKIM under Channels, Email',
    keyHosts: 'zendesk.com',
  }),
  provider('Freshdesk', '', 'email.freshdesk.com fwdkim1.freshemail.io', 'fwdkim1', {
    setup: 'verify the domain under Admin, Email',
    keyHosts: 'freshemail.io freshdesk.com',
  }),
  provider('Help Scout', '', 'helpscoutemail.com', 'strong1 strong2', {
    setup: 'add the DKIM records of the mailbox settings',
    keyHosts: 'helpscout.net',
  }),
  provider('Intercom', '', 'spf.intercom.io', 'intercom', {
    setup: 'authenticate the domain under Channels, Email',
    keyHosts: 'intercom.io',
  }),
  provider('Brevo', '', 'spf.brevo.com', 'mail brevo1 brevo2', {
    spfNames: 'spf.sendinblue.com',
    setup: 'authenticate the domain under Senders, Domains',
    keyHosts: 'dkim.brevo.com sendinblue.com',
  }),
  provider('Mailjet', '', 'spf.mailjet.com', 'mailjet', {
    setup: 'authenticate the domain under Sender domains',
    keyHosts: 'mailjet.com',
  }),
  provider('MailerLite', '', '_spf.mlsend.com', 'litesrv ml', {
    setup: 'authenticate the domain under Account settings, Domains',
    keyHosts: 'mlsend.com',
  }),
  provider('ActiveCampaign', '', 'emsd1.com', 'acdkim1', {
    setup: 'authenticate the domain under Settings, Advanced',
    keyHosts: 'acdkim1.com acdkim.com emsd1.com',
  }),
  provider('Constant Contact', '', 'spf.constantcontact.com', 'ctct1 ctct2', {
    setup: 'authenticate the domain under Advanced settings',
    keyHosts: 'constantcontact.com ccsend.com',
  }),
  provider('Campaign Monitor', '', '_spf.createsend.com', 'cm', {
    setup: 'authenticate the sending domain under Account settings',
    keyHosts: 'createsend.com',
  }),
  provider('Marketo', '', 'mktomail.com', 'm1', {
    setup: 'set up SPF and DKIM under Admin, Email',
    keyHosts: 'mktdns.com mktomail.com',
  }),
  provider('SparkPost', '', 'sparkpostmail.com _netblocks.sparkpostmail.com', '', {
    setup: 'verify the sending domain with DKIM',
    keyHosts: 'sparkpostmail.com',
  }),
  provider('SMTP2GO', '', 'spf.smtp2go.com', '', {
    setup: 'verify the sender domain',
    keyHosts: 'smtp2go.net smtp2go.com',
  }),
  provider('AWeber', '', 'send.aweber.com', 'aweber_key_a aweber_key_b', {
    setup: 'authenticate the domain under Domain and Address',
    keyHosts: 'aweber.com',
  }),
  provider('Elastic Email', '', '_spf.elasticemail.com', 'api', {
    setup: 'verify the domain under Settings, Domains',
    keyHosts: 'elasticemail.com',
  }),
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

/** The provider of a name that an SPF record includes. */
export function providerOfSpfName(name: string): Provider | undefined {
  const labels = name.split('.').slice(-MAX_LABELS);
  const known = labels.map((_, at) => BY_SPF_NAME.get(labels.slice(at).join('.')));
  return known.find((one) => one !== undefined);
}

/** Those that the MX hosts, and names in SPF records or in what was meant as one, show. */
function providersSeen(mxHosts: readonly string[], spfTexts: readonly string[]): Set<Provider> {
  const seen = [...mxHosts.map(providerOf), ...spfTexts.flatMap(namesIn).map(providerOfSpfName)];
  return new Set(seen.filter((known) => known !== undefined));
}

/** Whether a key with this selector, which may be an alias, is one that the provider signs with. */
export function isKeyOf({ name, selectors, signing }: Provider, selector: string, alias: string | undefined): boolean {
  const hosts = signing?.keyHosts ?? [];
  if (alias !== undefined && hosts.some((host) => isWithin(alias, host))) return true;
  // The alias leads to another service: selectors such as k1 and s1 are used by several.
  if (alias !== undefined && PROVIDERS.some((one) => one.signing?.keyHosts.some((host) => isWithin(alias, host))))
    return false;
  const lower = selector.toLowerCase();
  if (name === 'HubSpot') return /^hs[12]-\d+$/.test(lower);
  if (selectors.length > 0) return selectors.includes(lower);
  // Its customers choose the name, or get one of their own: any that no other service is known to use.
  return !isKnownSelector(lower);
}

function isKnownSelector(selector: string): boolean {
  return GENERIC_SELECTOR.test(selector) || PROVIDERS.some(({ selectors }) => selectors.includes(selector));
}

/** What mail servers of one's own use. */
const GENERIC_SELECTOR = /^(?:default|dkim|email|mail|mx|smtp|x|(?:dkim|key|mail|s|selector)\d{0,2}|\d{4,8})$/;

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
