import { Link } from '@tanstack/react-router';
import { Page } from '../parts/Page.tsx';
import { Notice } from './Notice.tsx';

export function PageNotFound() {
  return (
    <Page name="Not found" title="There is no page here">
      <Notice title="The address may be mistyped, or the page has moved">
        <p>
          Look something up in the box above, or go to the <Link to="/">overview</Link>.
        </p>
      </Notice>
    </Page>
  );
}
