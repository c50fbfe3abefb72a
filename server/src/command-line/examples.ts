/**
 * Three examples for each command, for its help and for the reference page. A test parses each of
 * them.
 */
import type { Command } from 'commander';
import { hanging, type Style } from '../terminal/style.ts';

/**
 * What is typed for each command. Where there are fewer than three, options that most commands have
 * complete them.
 */
const TYPED: Readonly<Record<string, readonly [string, ...string[]]>> = {
  ip: [
    'wh 8.8.8.8',
    'wh ip 8.8.8.8 --explain',
    'wh ip addresses.txt --csv --fields ip,country,asn_name',
  ],
  prefix: ['wh 8.8.8.0/24', 'wh prefix 2001:4860::/32', 'wh prefix prefixes.txt --json'],
  asn: [
    'wh AS15169',
    'wh asn 15169 --prefixes',
    'wh asn AS64496-AS64511 --csv --fields asn,asn_name,country',
  ],
  'asn search': [
    'wh asn search google',
    'wh asn search deutsche telekom --limit 5',
    'wh asn search --json hetzner',
  ],
  enrich: [
    'wh enrich access.log',
    'wh enrich events.ndjson --address client.ip --fields country,asn_name,flags',
    'tail -F access.log | wh enrich --only vpn,tor_exit',
  ],
  summarize: [
    'wh summarize access.log',
    'wh summarize access.log.gz --limit 20',
    'wh summarize mail.log --all --json',
  ],
  crawlers: [
    'wh crawlers access.log',
    'wh crawlers access.log --status forged',
    'wh crawlers access.log.gz --no-dns --json',
  ],
  email: [
    'wh example.com',
    'wh email example.com --selectors s1,s2 --include transport',
    'wh email domains.txt --csv > report.csv',
  ],
  'email reports': [
    'wh email reports --example',
    'wh email reports example.com',
    'wh email reports example.com --policy quarantine --csv',
    'wh email reports example.com --tls',
    'wh email reports example.com --decide Zendesk=not-ours',
  ],
  'email reports fetch': ['wh email reports fetch'],
  'email reports import': [
    'wh email reports import google.com.zip',
    'wh email reports import reports/ mailbox.mbox',
    'wh email reports import - < message.eml',
  ],
  'watch add': [
    'wh watch add example.com example.net',
    'wh watch add domains.txt --tags customers,eu',
    'wh watch add example.com --url https://whence.example.com',
  ],
  'watch list': ['wh watch list', 'wh watch list --events', 'wh watch list --tag customers --json'],
  'watch remove': ['wh watch remove example.com', 'wh watch remove old-domains.txt'],
  'watch accept': ['wh watch accept 0199a1b2c3d4e5f6a7b8c9d0'],
  'watch run': [
    'wh watch run example.com --state watch.json',
    'wh watch run domains.txt --state watch.json >> events.ndjson',
    'wh watch run - --state watch.json < domains.txt',
  ],
  'decide check': ['wh decide check rules.yaml', 'wh decide check rules.json'],
  'decide test': [
    'wh decide test rules.yaml --ip 8.8.8.8',
    'wh decide test rules.yaml --ip 8.8.8.8 --path /login --method POST',
  ],
  'decide replay': [
    'wh decide replay rules.yaml access.log',
    'wh decide replay rules.yaml access.log.gz --max-refused 0.5%',
    'wh decide replay rules.yaml access.log --set api --json',
  ],
  'dataset build': ['wh dataset build'],
  'dataset update': [
    'wh dataset update',
    'wh dataset update --refetch',
    'wh dataset update --accept-changes tor-exits',
  ],
  'dataset feeds': ['wh dataset feeds'],
  'dataset list': ['wh dataset list'],
  'dataset verify': ['wh dataset verify', 'wh dataset verify 3'],
  'dataset use': ['wh dataset use 3'],
  'dataset publish': [
    'wh dataset publish --to /srv/datasets',
    'wh dataset publish --to /srv/datasets --keep 7',
  ],
  'dataset pull': ['wh dataset pull'],
  'dataset export': [
    'wh dataset export --format mmdb --output whence.mmdb',
    'wh dataset export --format nginx-geo --value country',
    'wh dataset export --format nftables --flag tor_exit',
  ],
  sync: [
    'wh sync /var/lib/GeoIP country.mmdb asn.mmdb',
    'wh sync /etc/whence tor.nft --on-change "nft -f tor.nft"',
    'wh sync lists tor.txt vpn.txt --once --url https://whence.example.com',
  ],
  'key create': [
    'wh key create --name website',
    'wh key create --name batch --tier pro --permissions ip:read,ip:batch',
    'wh key create --name office --expires 90d --networks 192.0.2.0/24',
  ],
  'key list': ['wh key list'],
  'key find': [
    'wh key find - < leaked.txt',
    'wh key find - --json < leaked.txt',
    'pbpaste | wh key find -',
  ],
  'key show': ['wh key show 3f9a'],
  'key usage': ['wh key usage 3f9a', 'wh key usage 3f9a --days 7'],
  'key set': [
    'wh key set 3f9a --tier pro',
    'wh key set 3f9a --expires never',
    'wh key set 3f9a --state paused',
    'wh key set 3f9a --networks any --requests-per-second 20',
  ],
  'key rotate': [
    'wh key rotate 3f9a',
    'wh key rotate 3f9a --revoke-old-in 24h',
    'wh key rotate 3f9a --name website-2',
  ],
  'key revoke': ['wh key revoke 3f9a'],
  'user create': [
    'wh user create ada',
    'wh user create ada --role admin',
    'wh user create ada --role viewer --domains example.com,*.example.net',
  ],
  'user list': ['wh user list'],
  'user reset-password': ['wh user reset-password ada'],
  'user set-role': [
    'wh user set-role ada admin',
    'wh user set-role ada viewer --json',
    'wh user set-role ada member --data-dir /var/lib/whence',
  ],
  'user set-domains': [
    'wh user set-domains ada example.com,*.example.net',
    'wh user set-domains ada all',
  ],
  'user disable': ['wh user disable ada', 'wh user disable ada --undo'],
  'user setup-link': ['wh user setup-link', 'wh user setup-link --new'],
  serve: [
    'wh serve',
    'WHENCE_PORT=9000 wh serve',
    'WHENCE_DATA_DIR=/var/lib/whence WHENCE_UPDATE=6h wh serve',
  ],
  'storage migrate': [
    'wh storage migrate --to postgres://whence@db.example.com/whence',
    'wh storage migrate --to /var/lib/whence',
  ],
  'storage check': ['wh storage check'],
  mcp: ['wh mcp', 'wh mcp --data-dir /var/lib/whence', 'claude mcp add whence -- wh mcp'],
  completion: [
    'source <(wh completion bash)',
    'source <(wh completion zsh)',
    'wh completion fish > ~/.config/fish/completions/wh.fish',
  ],
};

export const EXAMPLES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(TYPED).map(([path, typed]) => [
    path,
    [...typed, `${typed[0]} --json`, `${typed[0]} --data-dir /var/lib/whence`].slice(0, 3),
  ]),
);

export function addExamples(command: Command, style: Style, path: readonly string[] = []): void {
  const examples = EXAMPLES[path.join(' ')] ?? [];
  if (examples.length > 0) {
    const lines = examples.map((example) => hanging('  ', 4, example, style));
    command.addHelpText('after', `\n${style.bold('Examples:')}\n${lines.join('').trimEnd()}`);
  }
  for (const subcommand of command.commands)
    addExamples(subcommand, style, [...path, subcommand.name()]);
}
