/** What the report of a domain is made from; on request. */
import { boolean, integer, list, named, object, oneOfTexts, string, strings } from '../../http/json-schema.ts';

const part = named('MailPart', oneOfTexts(['mx', 'spf', 'dkim', 'dmarc']));
const points = integer('Points.');
const amounts = { ipv4_addresses: integer('IPv4 addresses.'), ipv6_48s: integer('IPv6 /48s.') };

export const details = named(
  'EmailDetails',
  object({
    points: named('MailPoints', object({ mx: points, spf: points, dkim: points, dmarc: points })),
    unverified: { ...list(part), description: 'Parts that DNS did not answer for.' },
    risk: string('Why anyone can send mail as the domain, or empty.'),
    is_finished: boolean('It is set up to send no mail, and nothing is left to fix.'),
    advice: list(
      named(
        'EmailAdvice',
        object({
          points: integer('How much the score rises; 0 for what does not count but should be known.'),
          text: string('What to do.'),
          record: string('Record to publish, as a line of a zone file, or empty.'),
        }),
      ),
    ),
    spf_tree: list(
      named(
        'SpfTreeLine',
        object({
          depth: integer('0 for the record of the domain.'),
          term: string('The domain, or the term that led here.', 'include:_spf.example.com'),
          lookups: integer('DNS lookups of the subtree.'),
          errors: strings('`code: explanation`, at most three.'),
        }),
      ),
    ),
    evidence: named(
      'EmailEvidence',
      object({
        unverified: { ...list(part), description: 'Parts of which DNS did not answer something.' },
        open_to_all: boolean('SPF lets everyone send.'),
        ...amounts,
        spf_terms: list(named('SpfTermBreadth', object({ term: string('A term of the record.', 'mx'), ...amounts }))),
        dangling: list(named('DanglingName', object({ part, name: string('A name that does not exist.') }))),
      }),
    ),
  }),
);
