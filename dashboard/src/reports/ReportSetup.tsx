/** How reports about a domain reach this server. */
import type { DmarcReport } from '@whence/client/wire';
import { useState } from 'react';
import { CodeBlock } from '../components/Copy.tsx';
import { ReportUpload } from './ReportUpload.tsx';
import classes from './Senders.module.css';

type ReportSetupProps = { domain: string; dmarc: DmarcReport; isOpen: boolean };

export function ReportSetup({ domain, dmarc, isOpen }: ReportSetupProps) {
  // The first report that is uploaded must not close it.
  const [wasOpen] = useState(isOpen);
  const { aggregate_report_uris: published, raw, record_domain } = dmarc;
  const mailto = published.find((uri) => /^mailto:/i.test(uri)) ?? `mailto:dmarc@${domain}`;
  // What is published is text of others, and the alias runs a command.
  const [, box = 'dmarc'] = /^mailto:([\w.+-]+)@/i.exec(mailto) ?? [];
  const policy = raw === '' ? 'v=DMARC1; p=none' : raw.replace(/[;\s]+$/, '');
  return (
    <details className={classes['more']} open={wasOpen}>
      <summary>Send reports to this server</summary>
      <div className={classes['steps']}>
        <ol className={classes['steps']}>
          <li>
            {published.length > 0 ? (
              <p>
                Receivers send their reports to {published.join(', ').replaceAll('mailto:', '')}{' '}
                already.
              </p>
            ) : (
              <>
                <p>Publish where receivers send their reports:</p>
                <CodeBlock
                  label="record to publish"
                  text={`_dmarc.${record_domain || domain}. TXT "${policy}; rua=${mailto}"`}
                />
              </>
            )}
          </li>
          <li>
            <p>
              Let the mail server hand on what arrives there: a line in its aliases, on the machine
              of this server.
            </p>
            <CodeBlock label="alias" text={`${box}: "|wh email reports import -"`} />
          </li>
          <li>
            <p>Or send files and messages with an API key that may import reports:</p>
            <CodeBlock
              label="curl"
              text={`curl -H "X-API-Key: $WHENCE_KEY" --data-binary @report.xml.gz ${window.location.origin}/v1/email/reports`}
            />
          </li>
        </ol>
        <ReportUpload />
        <p>What it looks like with reports, for an invented domain on a server of its own:</p>
        <CodeBlock label="example" text="wh email reports --example --serve" />
      </div>
    </details>
  );
}
