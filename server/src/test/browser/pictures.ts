/**
 * The pictures of pages in the README: a server with the embedded dataset, a mail domain with five
 * weeks of reports, and rules, in Chromium. `.ci/pictures.mjs` starts this script with the folder
 * to write them to.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { copyEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import type { Locator, Page } from 'playwright-core';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { BrowserTest, closeBrowser } from './browser.ts';
import { settle } from './page-walk.ts';

const DOMAIN = 'example.com';
const DAYS = 35;
const DAY_S = 86_400;
const SIZE = { width: 1120, height: 660 };

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const DKIM_RECORD = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

const ZONE: Parameters<typeof startScriptedDnsServer>[0] = {
  [DOMAIN]: {
    MX: [[10, 'aspmx.l.google.com']],
    TXT: ['v=spf1 include:_spf.google.com include:sendgrid.net ~all'],
  },
  'aspmx.l.google.com': { A: ['142.250.27.26'] },
  '_spf.google.com': { TXT: ['v=spf1 ip4:209.85.128.0/17 ~all'] },
  'sendgrid.net': { TXT: ['v=spf1 ip4:167.89.0.0/17 ~all'] },
  'google._domainkey.example.com': { TXT: [DKIM_RECORD] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@example.com'] },
};

const RULES = `sets:
  default:
    default: allow
    rules:
      - { name: office, if: { prefixes: 203.0.113.0/24 }, then: allow }
      - { name: no-vpn-at-sign-in, if: { paths: [/login], flags: vpn }, then: deny }
      - { name: no-ai-crawlers, if: { flags: ai_crawler }, then: deny, status: 451 }
      - { name: shop-countries, if: { hosts: [shop.example.com], countries: [KP] }, then: deny }
`;

/** Own mailboxes, a service that does not sign as the domain, a forwarder, and forgeries. */
function reportOf(daysAgo: number): string {
  const begin = (Math.floor(Date.now() / 1000 / DAY_S) - daysAgo) * DAY_S;
  const rows = [
    ['209.85.220.41', 180 + ((daysAgo * 37) % 60), 'pass', 'pass', DOMAIN, 'google'],
    ['167.89.1.1', 24 + ((daysAgo * 13) % 9), 'fail', 'fail', 'sendgrid.net', ''],
    ['139.162.1.1', 2, 'pass', 'fail', 'list.example', 'google'],
    ['45.10.157.1', daysAgo % 4, 'fail', 'fail', 'bounce.example', ''],
  ] as const;
  const records = rows
    .filter(([, count]) => count > 0)
    .map(
      ([address, count, dkim, spf, envelope, selector]) => `<record>
  <row><source_ip>${address}</source_ip><count>${count}</count>
    <policy_evaluated><disposition>none</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
  <identifiers><header_from>${DOMAIN}</header_from><envelope_from>${envelope}</envelope_from></identifiers>
  <auth_results>
    ${selector === '' ? '' : `<dkim><domain>${DOMAIN}</domain><selector>${selector}</selector><result>${dkim}</result></dkim>`}
    <spf><domain>${envelope}</domain><result>${envelope === 'list.example' ? 'pass' : spf}</result></spf></auth_results></record>`,
    );
  return `<?xml version="1.0"?><feedback>
<report_metadata><org_name>google.com</org_name><email>noreply-dmarc-support@google.com</email>
<report_id>${DOMAIN}-${daysAgo}</report_id><date_range><begin>${begin}</begin><end>${begin + DAY_S - 1}</end></date_range></report_metadata>
<policy_published><domain>${DOMAIN}</domain><p>none</p></policy_published>${records.join('\n')}</feedback>`;
}

async function importReports({ folder, url }: BrowserTest): Promise<void> {
  const { secret } = await folder.createKey({ permissions: ['reports:write'] });
  for (let daysAgo = 1; daysAgo <= DAYS; daysAgo++) {
    const { status } = await fetch(`${url}/v1/email/reports`, {
      method: 'POST',
      headers: { 'X-API-Key': secret },
      body: new Uint8Array(gzipSync(reportOf(daysAgo))),
    });
    assert.equal(status, 200);
  }
}

type Picture = {
  readonly name: string;
  readonly path: string;
  /** What the picture is about. */
  readonly subject: (page: Page) => Locator;
  /** Its heading is at the top of the picture. */
  readonly section?: string;
};

const PICTURES: readonly Picture[] = [
  {
    name: 'address',
    path: '/ip/45.10.157.1',
    subject: (page) => page.getByText('PacketHub').first(),
  },
  {
    name: 'domain',
    path: `/domain/${DOMAIN}?tab=senders`,
    subject: (page) => page.getByText(/^Would p=reject be safe\?/),
    section: 'Who sends as it',
  },
  {
    name: 'rules',
    path: '/rules?ip=45.10.157.1&host=shop.example.com&path=/login&method=GET',
    subject: (page) => page.getByText('no-vpn-at-sign-in').first(),
  },
];

/** A third of the size of PNG. */
async function webpOf(page: Page, png: Buffer): Promise<Buffer> {
  const base64 = await page.evaluate(async (source) => {
    const bytes = Uint8Array.from(atob(source), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const canvas = document.createElement('canvas');
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    return canvas.toDataURL('image/webp', 0.8).split(',')[1] ?? '';
  }, png.toString('base64'));
  return Buffer.from(base64, 'base64');
}

async function takePictures(target: string): Promise<void> {
  // The page shows where the file is.
  const rules = join(tmpdir(), 'rules.yaml');
  writeFileSync(rules, RULES, { flag: 'wx' });
  const dns = await startScriptedDnsServer(ZONE);
  let whence: BrowserTest | undefined;
  try {
    whence = await BrowserTest.start(
      { WHENCE_RULES: rules, WHENCE_DNS_SERVERS: dns.address },
      ({ dataDir }) => copyEmbeddedDataset(dataDir),
    );
    const { url } = whence;
    await until('the dataset is loaded', async () => (await fetch(`${url}/readyz`)).status === 200);
    await importReports(whence);
    const admin = await signedInAs(whence.folder, url, 'Ada', 'admin');
    const page = await whence.open(undefined, {
      as: admin,
      colorScheme: 'light',
      viewport: SIZE,
    });
    for (const { name, path, subject, section } of PICTURES) {
      await page.goto(path);
      await subject(page).waitFor();
      await settle(page);
      if (section !== undefined)
        await page
          .getByRole('region', { name: section })
          .evaluate((element) => element.scrollIntoView());
      const picture = await page.screenshot();
      writeFileSync(join(target, `${name}.webp`), await webpOf(page, picture));
    }
  } finally {
    await whence?.close();
    await dns.close();
    await closeBrowser();
    rmSync(rules);
  }
}

await takePictures(process.argv[2] ?? '.');
