/**
 * GitHub's `/meta`: lists of addresses by service, among keys and host names.
 *
 * Only the lists named here are used: addresses from which GitHub itself answers or calls. Those that run programs of
 * customers (`actions`, `actions_macos`, `codespaces`) are left out: they are thousands of ranges of Azure and others,
 * shared with other tenants, and the clouds' own lists are more exact. Lists that GitHub adds later are ignored until
 * they are added here.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { jsonDocument, listMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

const WHAT = "GitHub's meta document";
const OWN = [
  'hooks',
  'web',
  'api',
  'git',
  'packages',
  'pages',
  'importer',
  'github_enterprise_importer',
  'dependabot',
  'copilot',
];

export function parseGithubMeta(content: Content): PrefixList {
  const document = jsonDocument(content, WHAT);
  const lists = OWN.map((key) => listMember(document, key)).filter((list) => list !== undefined);
  if (lists.length === 0) throw new Error(`not ${WHAT}: none of the lists ${OWN.join(', ')}`);
  const list = new PrefixListBuilder();
  for (const prefix of lists.flat()) list.add(typeof prefix === 'string' ? prefix : '');
  return list.finish();
}
