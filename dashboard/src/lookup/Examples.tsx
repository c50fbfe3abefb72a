import { Link } from '@tanstack/react-router';
import { Section } from '../components/Page.tsx';
import classes from './Examples.module.css';

/** What to type, how it is interpreted, and the page it leads to. */
const EXAMPLES: readonly (readonly [text: string, kind: string, path: string])[] = [
  ['8.8.8.8', 'address', '/ip/8.8.8.8'],
  ['2606:4700:4700::1111', 'address', '/ip/2606:4700:4700::1111'],
  ['185.220.100.0/22', 'prefix', '/prefix/185.220.100.0/22'],
  ['AS3320', 'network', '/asn/3320'],
  ['telefonica', 'networks by name', '/asn?q=telefonica'],
  ['example.com', 'domain and its email setup', '/domain/example.com'],
];

/** Examples of what the lookup field accepts, as links, below a heading. */
export function Examples() {
  return (
    <Section title="Examples" note="Press / on any page for the field at the top.">
      <ExampleList />
    </Section>
  );
}

export function ExampleList() {
  return (
    <ul className={classes['list']}>
      {EXAMPLES.map(([text, kind, path]) => (
        <li key={path}>
          <Link to={path} className={classes['example']}>
            <span className="mono">{text}</span>
            <span className="quiet">{kind}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
