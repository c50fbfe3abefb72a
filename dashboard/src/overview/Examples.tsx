import { Link } from '@tanstack/react-router';
import { Section } from '../parts/Section.tsx';
import classes from './Examples.module.css';

const PUBLIC_EXAMPLES = [
  '/ip/8.8.8.8',
  '/ip/2606:4700:4700::1111',
  '/prefix/185.220.100.0/22',
  '/asn/3320',
  '/asn?q=telefonica',
  '/domain/example.com',
];

/** What the box understands, as links. */
export function Examples({ isPublic = false }: { isPublic?: boolean }) {
  const examples = isPublic ? PUBLIC_EXAMPLES : [...PUBLIC_EXAMPLES, '/batch'];
  return (
    <Section title="Look something up" note="In the box above (press /), or by the address of a page.">
      <ul className={classes['list']}>
        {examples.map((path) => (
          <li key={path}>
            <Link to={path} className="mono">
              {path}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
