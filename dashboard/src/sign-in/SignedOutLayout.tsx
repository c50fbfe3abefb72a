import type { ReactNode } from 'react';
import { CodeBlock } from '../components/Copy.tsx';
import { Logo } from '../shell/Navigation.tsx';
import classes from './SignInPage.module.css';

export function SetupLinkCommand() {
  return (
    <>
      <CodeBlock text="wh user setup-link" label="command" />
      <p className="quiet">In a clone, write npx wh in place of wh.</p>
    </>
  );
}

/** The layout of pages that are shown without a session. */
export function SignedOutLayout({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <main className={classes['page']}>
      <div className={classes['card']}>
        <div className={classes['brand']}>
          <Logo size={26} />
          Whence
        </div>
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p className="quiet">{lead}</p>}
        </div>
        {children}
      </div>
      <p className={classes['about']}>
        Network intelligence and email-domain checks on your own server
      </p>
    </main>
  );
}
