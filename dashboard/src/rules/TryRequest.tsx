/**
 * A line to try: the rule that decides about a request, and why. The address bar has the request.
 */

import { NativeSelect, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { BatchRecord } from '@whence/server/dashboard-wire/lookups';
import type { RuleCondition, TriedRule } from '@whence/server/dashboard-wire/rules';
import { type FormEvent, useState } from 'react';
import { isFailure } from '../api/call.ts';
import { useAnswer } from '../api/query-client.ts';
import { TextButton } from '../components/Buttons.tsx';
import { AddressLink } from '../components/Links.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { notKnown } from '../format/blocklists.ts';
import { countryName, FLAG_WORDS, FLAGS } from '../format/names.ts';
import { withoutEmpty } from '../search-params.ts';
import classes from './TryRequest.module.css';

const route = getRouteApi('/session/rules');
const FIELDS = [
  ['ip', 'Address', '192.0.2.1'],
  ['host', 'Host', 'www.example.com'],
  ['path', 'Path', '/login'],
  ['method', 'Method', 'GET'],
] as const;

export function TryRequest({ sets }: { sets: readonly string[] }) {
  const request = route.useSearch();
  const navigate = useNavigate({ from: '/rules' });
  const [fields, setFields] = useState(request);
  const first = sets.includes('default') ? 'default' : sets[0];
  const set = request.set ?? first;
  const tried = useAnswer(
    'tryRule',
    { query: { ...request, ...(set === undefined ? {} : { set }) } },
    { enabled: request.ip !== undefined, refetchOnWindowFocus: false },
  );
  const isInvalid = isFailure(tried.error, 'INVALID_IP');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: withoutEmpty(fields), resetScroll: false });
  };
  return (
    <Section
      title="Try a request"
      note="It is decided by the rules below and not counted among their matches."
    >
      <form className={`${classes['form']} no-print`} onSubmit={submit}>
        {FIELDS.map(([name, label, placeholder]) => (
          <TextInput
            key={name}
            label={label}
            placeholder={placeholder}
            required={name === 'ip'}
            spellCheck={false}
            autoCapitalize="off"
            error={
              name === 'ip' && isInvalid ? 'An address such as 192.0.2.1 or 2001:db8::1' : undefined
            }
            value={fields[name] ?? ''}
            onChange={({ currentTarget: { value } }) =>
              setFields((before) => ({ ...before, [name]: value.trim() }))
            }
          />
        ))}
        {sets.length > 1 && (
          <NativeSelect
            label="Set"
            data={[...sets]}
            value={fields.set ?? first}
            onChange={({ currentTarget: { value } }) =>
              setFields((before) => ({ ...before, set: value }))
            }
          />
        )}
        <TextButton type="submit" text="Try" />
      </form>
      {request.ip !== undefined && !isInvalid && (
        <div role="status">
          <Loaded query={tried} lines={2}>
            {({ data }) => <Decision tried={data} ip={request.ip ?? ''} />}
          </Loaded>
        </div>
      )}
    </Section>
  );
}

const OUTCOMES = {
  allow: { tone: 'good', words: 'Allowed' },
  deny: { tone: 'warn', words: 'Refused' },
  observe: { tone: 'plain', words: 'Allowed, because the set only observes; it would be refused' },
} as const;

function Decision({
  tried: { decision, set, rule, matched, record },
  ip,
}: {
  tried: TriedRule;
  ip: string;
}) {
  const { tone, words } = OUTCOMES[decision];
  return (
    <Notice
      tone={tone}
      title={`${words} ${rule === undefined ? `by the default of set ${set}` : `by rule ${rule}`}`}
    >
      {rule === undefined && <p>No rule matches.</p>}
      {rule !== undefined && matched.length === 0 && <p>It matches every request.</p>}
      {rule !== undefined && matched.length > 0 && (
        <p>
          It matched <Conditions conditions={matched} />.
        </p>
      )}
      <p>
        <AddressLink ip={ip} />{' '}
        {record === undefined
          ? 'is announced by no network.'
          : `is ${[
              `AS${record.asn} ${record.asn_name}`,
              countryName(record.country),
              record.connection_type,
              // A flag that repeats the type says nothing more.
              ...FLAGS.filter(
                (flag) => record.detection[flag] && flag !== `is_${record.connection_type}`,
              ).map((flag) => FLAG_WORDS[flag]),
              threatWords(record),
            ].join(', ')}.`}
      </p>
    </Notice>
  );
}

/** A score that is not complete is the least that is known. */
function threatWords({ threat: { score }, threat_gap }: BatchRecord): string {
  if (threat_gap === undefined) return `threat ${score}`;
  return score > 0 ? `threat at least ${score}` : `threat ${notKnown(threat_gap)}`;
}

export function Conditions({ conditions }: { conditions: readonly RuleCondition[] }) {
  if (conditions.length === 0) return <span className="quiet">always</span>;
  return conditions.map(({ name, values }, index) => (
    <span key={name}>
      {index > 0 && ' and '}
      {name.replaceAll('_', ' ')} <span className="mono">{values}</span>
    </span>
  ));
}
