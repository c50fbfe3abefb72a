/** Variables that look like settings and are none: a mistyped name has no effect, which is not noticed until it matters. */
import { closestName } from '../closest-name.ts';
import { settings } from './settings.ts';

/** Variables of the commands that ask a server, of the Compose file, and of the tests. */
const OTHERS = /^WHENCE_(URL|KEY|DOMAIN|FIXTURES|TEST_\w+)$/;
/** Kubernetes gives every container the addresses of its namespace's services, one of which may be called whence. */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$/;
const LINK_VALUE = /^(tcp|udp|sctp):\/\//;

const PREFIX = 'WHENCE_';

/** A sentence for each. */
export function unknownNames(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.values(settings).map(({ variable }) => variable);
  const unknown = Object.entries(environment).flatMap(([name, value = '']) => {
    const isOurs = /^WHENCE_/i.test(name) && !known.includes(name) && !OTHERS.test(name);
    return isOurs && !SERVICE_LINK.test(name) && !LINK_VALUE.test(value) ? [name] : [];
  });
  return unknown.map((name) => {
    const withoutPrefix = known.map((variable) => variable.slice(PREFIX.length));
    const meant = closestName(name.toUpperCase().slice(PREFIX.length), withoutPrefix);
    return `${name} is not a setting and has no effect${meant === undefined ? '' : `: did you mean ${PREFIX}${meant}?`}`;
  });
}
