/**
 * Connection types by the name of an organisation, for the tens of thousands of small networks that are not labelled by
 * hand. A name is folded to lower-case ASCII words, with one space between and around them: 'T-Mobile Übersee GmbH'
 * becomes ' t mobile ubersee gmbh '. Phrases that `name-rules.csv` says to ignore are removed first, so that only the
 * rest of the name counts: 'St. Cloud State University' becomes 'State University'. A `word` matches whole words, a
 * `part` anywhere inside a word, for compounds ('Musterhochschule'). The first rule that matches decides.
 */
import { nameRules } from '../../data-files/data-files.ts';
import type { ConnectionType } from '../../record.ts';
import { foldedWords } from '../signals/folded-words.ts';

const ruleSet = nameRules.derived((rows) => {
  const patterns = (rule: number, kind: (typeof rows)[number]['match']) =>
    rows.filter((row) => row.rule === rule && row.match === kind).map(({ pattern }) => pattern);
  const roles = new Map(rows.flatMap(({ rule, connection_type: type }) => (type === undefined ? [] : [[rule, type]])));
  return {
    ignored: new RegExp(` (?:${patterns(0, 'ignore').join('|')})(?= )`, 'g'),
    rules: [...roles].map(([rule, role]) => {
      const parts = patterns(rule, 'part');
      return {
        role,
        words: new RegExp(` (?:${patterns(rule, 'word').join('|')})(?= )`),
        parts: parts.length === 0 ? undefined : new RegExp(parts.join('|')),
      };
    }),
  };
});

/** The name as folded words, without ignored phrases. */
function fold(text: string): string {
  // 'Dream Net' is the name of an access provider, 'dream.net' is only a domain.
  const words = foldedWords(text.replace(/\.net\b/gi, ' dotted'));
  return ` ${words.join(' ')} `.replace(ruleSet().ignored, ' |');
}

/** The text from the start of the word at `from` to the end of the word before `to`. */
function wholeWords(folded: string, from: number, to: number): string {
  return folded.slice(folded.lastIndexOf(' ', from - 1) + 1, folded.indexOf(' ', to - 1));
}

/** The first rule that a folded text matches, with the words that matched. */
function match(folded: string): { role: ConnectionType; word: string } | undefined {
  for (const { role, words, parts } of ruleSet().rules) {
    const found = words.exec(folded) ?? parts?.exec(folded);
    if (found) return { role, word: wholeWords(folded, found.index + 1, found.index + found[0].length) };
  }
  return undefined;
}

/** The role by the name or handle of an organisation, and the word that decided; undefined if no rule matches. */
export function roleByName(name: string, handle?: string): { role: ConnectionType; word: string } | undefined {
  const byName = match(fold(name));
  if (handle === undefined || (byName !== undefined && byName.role !== 'residential')) return byName;
  // About half of all handles end in -NET or -ISP, so the end of a handle is ignored: after the bar, no pattern for the
  // end of a name matches.
  const byHandle = match(`${fold(handle).replace(/ (?:isp|internet|scm)(?= )/g, ' |')}|`);
  if (byName === undefined) return byHandle;
  // The name of an access provider with the handle of a datacenter or mobile network: a mixed company, and it is
  // unknown which of its networks this is.
  return byHandle?.role === 'datacenter' || byHandle?.role === 'mobile' ? undefined : byName;
}
