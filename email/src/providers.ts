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
  readonly signing: { readonly setup: string; readonly keyHosts: readonly string[] } | undefined;
};

const SES_REGIONS =
  'us-east-1 us-west-2 eu-west-1 eu-central-1 eu-west-2 ap-southeast-2 ap-northeast-1 ca-central-1'.split(' ');

/**
 * One per line: name, MX hosts, what to include, selectors, other SPF names, where DKIM is switched on, and what its
 * selectors are aliases of. Mailboxes first: where their users send from is what SPF has to name. Then services that
 * send, of which some receive too. The name of a part comes before that of the whole.
 */
const TABLE = `
Google | google.com googlemail.com | _spf.google.com | google | _netblocks.google.com aspmx.googlemail.com
Microsoft 365 | mail.protection.outlook.com mx.microsoft | spf.protection.outlook.com | selector1 selector2
Zoho (com) | zoho.com zohomail.com | zohomail.com zoho.com | zmail zoho | one.zoho.com
Zoho (eu) | zoho.eu zohomail.eu | zohomail.eu zoho.eu | zmail zoho | one.zoho.eu
Zoho (in) | zoho.in zohomail.in | zohomail.in zoho.in | zmail zoho | one.zoho.in
Zoho (com.au) | zoho.com.au zohomail.com.au | zohomail.com.au zoho.com.au | zmail zoho | one.zoho.com.au
Zoho (jp) | zoho.jp zohomail.jp | zohomail.jp zoho.jp | zmail zoho | one.zoho.jp
Zoho (sa) | zoho.sa zohomail.sa | zohomail.sa zoho.sa | zmail zoho | one.zoho.sa
Fastmail | messagingengine.com | spf.messagingengine.com | fm1 fm2 fm3 mesmtp
Proton | protonmail.ch | _spf.protonmail.ch | protonmail protonmail2 protonmail3
iCloud | mail.icloud.com | icloud.com | sig1
Yandex | mx.yandex.net mx.yandex.ru | _spf.yandex.net _spf.yandex.ru | mail
VK WorkSpace | emx.mail.ru | _spf.mail.ru | mailru
OVHcloud | mail.ovh.net mx.ovh.com | mx.ovh.com
IONOS (US) | ionos.com 1and1.com perfora.net ionos.ca ionos.mx | _spf-us.ionos.com | s1-ionos s2-ionos | _spf.perfora.net _spf.1and1.com
IONOS (EU) | ionos.de ionos.co.uk ionos.fr ionos.es ionos.it kundenserver.de | _spf-eu.ionos.com _spf.kundenserver.de | s1-ionos s2-ionos
Strato | rzone.de | _spf.strato.com | strato-dkim-0002 strato-dkim-0003 | smtp.strato.de
Gandi | mail.gandi.net | _mailcust.gandi.net | gm1 gm2 gm3
Hostinger | hostinger.com | _spf.mail.hostinger.com | hostingermail-a hostingermail-b hostingermail-c
mailbox.org | mailbox.org | mailbox.org | mbo0001 mbo0002 mbo0003 mbo0004
Migadu | migadu.com | spf.migadu.com | key1 key2 key3
Rackspace | emailsrvr.com | emailsrvr.com
GoDaddy | secureserver.net | secureserver.net
Titan | titan.email | spf.titan.email | titan1 titan2
Private Email | privateemail.com | spf.privateemail.com | default
Cloudflare Email Routing | mx.cloudflare.net | _spf.mx.cloudflare.net | cf2024-1
ImprovMX | improvmx.com | spf.improvmx.com | dkimprovmx1 dkimprovmx2
Forward Email | forwardemail.net | spf.forwardemail.net
Infomaniak | infomaniak.ch | spf.infomaniak.ch
Tuta | tutanota.de | spf.tutanota.de | s1 s2
Runbox | runbox.com | spf.runbox.com | selector1 selector2
DreamHost | dreamhost.com | netblocks.dreamhost.com | dreamhost
Hosted Email | hostedemail.com | _spf.hostedemail.com
Loopia | loopia.se | spf.loopia.se
one.com | one.com | _custspf.one.com
Aruba | aruba.it | _spf.aruba.it
Tencent | mxbiz1.qq.com mxbiz2.qq.com | spf.mail.qq.com
Alibaba Mail | mxhichina.com | spf.qiye.aliyun.com spf.mxhichina.com
Amazon SES | ${SES_REGIONS.map((region) => `inbound-smtp.${region}.amazonaws.com`).join(' ')} | amazonses.com | | | verify the domain with Easy DKIM | dkim.amazonses.com
Mailgun (EU) | eu.mailgun.org | eu.mailgun.org | pic mailo k1 | | publish the DKIM record of Sending, Domain settings | eu.mailgun.org
Mailgun | mailgun.org | mailgun.org | pic mailo k1 | | publish the DKIM record of Sending, Domain settings | mailgun.org
SendGrid | mx.sendgrid.net | sendgrid.net | s1 s2 | | authenticate the domain under Settings, Sender authentication | sendgrid.net
Postmark | inbound.postmarkapp.com | spf.mtasv.net | pm | | publish the DKIM record of Sender signatures | mtasv.net postmarkapp.com
Mailchimp | | servers.mcsv.net | k1 k2 k3 | | authenticate the domain under Website, Domains | mcsv.net
Mandrill | | spf.mandrillapp.com | mandrill mte1 mte2 | | add the DKIM records of Settings, Domains | mandrillapp.com
HubSpot | | | | hubspotemail.net | connect the domain as an email sending domain | hubspotemail.net
Salesforce | | _spf.salesforce.com | salesforce sf1 sf2 | _spf.mta.salesforce.com | create and activate a key under Setup, DKIM Keys | custdkim.salesforce.com
Marketing Cloud | | cust-spf.exacttarget.com | | | set up a private domain with Sender Authentication | exacttarget.com
Pardot | | aspmx.pardot.com et._spf.pardot.com | | | verify the domain under Domain Management | pardot.com
Zendesk | | mail.zendesk.com | zendesk1 zendesk2 | | enable DKIM under Channels, Email | zendesk.com
Freshdesk | | email.freshdesk.com fwdkim1.freshemail.io | fwdkim1 | | verify the domain under Admin, Email | freshemail.io freshdesk.com
Help Scout | | helpscoutemail.com | strong1 strong2 | | add the DKIM records of the mailbox settings | helpscout.net
Intercom | | spf.intercom.io | intercom | | authenticate the domain under Channels, Email | intercom.io
Brevo | | spf.brevo.com | mail brevo1 brevo2 | spf.sendinblue.com | authenticate the domain under Senders, Domains | dkim.brevo.com sendinblue.com
Mailjet | | spf.mailjet.com | mailjet | | authenticate the domain under Sender domains | mailjet.com
MailerLite | | _spf.mlsend.com | litesrv ml | | authenticate the domain under Account settings, Domains | mlsend.com
ActiveCampaign | | emsd1.com | acdkim1 | | authenticate the domain under Settings, Advanced | acdkim1.com acdkim.com emsd1.com
Constant Contact | | spf.constantcontact.com | ctct1 ctct2 | | authenticate the domain under Advanced settings | constantcontact.com ccsend.com
Campaign Monitor | | _spf.createsend.com | cm | | authenticate the sending domain under Account settings | createsend.com
Marketo | | mktomail.com | m1 | | set up SPF and DKIM under Admin, Email | mktdns.com mktomail.com
SparkPost | | sparkpostmail.com _netblocks.sparkpostmail.com | | | verify the sending domain with DKIM | sparkpostmail.com
SMTP2GO | | spf.smtp2go.com | | | verify the sender domain | smtp2go.net smtp2go.com
AWeber | | send.aweber.com | aweber_key_a aweber_key_b | | authenticate the domain under Domain and Address | aweber.com
Elastic Email | | _spf.elasticemail.com | api | | verify the domain under Settings, Domains | elasticemail.com
`;

const PROVIDERS: readonly Provider[] = TABLE.trim()
  .split('\n')
  .map((line): Provider => {
    const [name = '', mx, includes, selectors, spfNames, setup = '', keyHosts] = line
      .split('|')
      .map((cell) => cell.trim());
    const words = (text = '') => text.split(' ').filter((word) => word !== '');
    const signing = setup === '' ? undefined : { setup, keyHosts: words(keyHosts) };
    return {
      name,
      mx: words(mx),
      includes: words(includes),
      spfNames: words(spfNames),
      selectors: words(selectors),
      signing,
    };
  });

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
