/**
 * The fields of a key that its creation and its drawer share, each with the rule that the server
 * found broken.
 */
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { isFailure } from '../api/call.ts';
import { capitalise, PERMISSION_WORDS } from '../format/names.ts';
import { useSignedIn } from '../session/use-session.ts';
import classes from './KeyFields.module.css';
import { type Effects, type KeyForm, networksOf } from './key-form.ts';

export type KeyFieldsProps = {
  form: KeyForm;
  onChange: (part: Partial<KeyForm>) => void;
  refused: RefusedField | undefined;
  /** What running clients will notice, by field; a new key has none. */
  effects?: Effects;
};

export function NoteField({ form, onChange, refused, effects = {} }: KeyFieldsProps) {
  return (
    <Field effect={effects.note}>
      <Textarea
        label="Note"
        description="For people who manage keys."
        rows={2}
        maxLength={500}
        error={ruleAt(refused, '/note')}
        value={form.note}
        onChange={(event) => onChange({ note: event.currentTarget.value })}
      />
    </Field>
  );
}

/** The permissions that the account may give. */
export function PermissionBoxes({
  form,
  onChange,
  isDescribed = false,
}: KeyFieldsProps & { isDescribed?: boolean }) {
  const { permissions: all } = useSignedIn();
  return all.map((permission) => (
    <Checkbox
      key={permission}
      label={PERMISSION_WORDS[permission].name}
      description={isDescribed && `${PERMISSION_WORDS[permission].about} (${permission})`}
      checked={form.permissions.includes(permission)}
      onChange={({ currentTarget: { checked } }) =>
        onChange({
          permissions: all.filter((other) =>
            other === permission ? checked : form.permissions.includes(other),
          ),
        })
      }
    />
  ));
}

/** Until when, from where and how often a key may be used. */
export function RestrictionFields({ form, onChange, refused, effects = {} }: KeyFieldsProps) {
  return (
    <>
      <Field effect={effects.expires}>
        <TextInput
          type="datetime-local"
          label="Expires"
          description={`Time zone: ${Intl.DateTimeFormat().resolvedOptions().timeZone}. Empty: never.`}
          error={ruleAt(refused, '/expires_at')}
          value={form.expires}
          onChange={(event) => onChange({ expires: event.currentTarget.value })}
        />
      </Field>
      <Field effect={effects.networks}>
        <Textarea
          label="Allowed client networks"
          description="Addresses or prefixes, one per line. Empty: any client."
          placeholder={'192.0.2.0/24\n2001:db8::/32'}
          rows={3}
          spellCheck={false}
          className={classes['networks'] ?? ''}
          error={withLine(ruleAt(refused, '/allowed_networks'), form.networks, refused?.item)}
          value={form.networks}
          onChange={(event) => onChange({ networks: event.currentTarget.value })}
        />
      </Field>
      <Field effect={effects.domains}>
        <Textarea
          label="Allowed domains"
          description="Whose reports it may use, one per line: example.com with all below it, *.example.com only below. Empty: all."
          placeholder="example.com"
          rows={2}
          spellCheck={false}
          className={classes['networks'] ?? ''}
          error={withLine(ruleAt(refused, '/allowed_domains'), form.domains, refused?.item)}
          value={form.domains}
          onChange={(event) => onChange({ domains: event.currentTarget.value })}
        />
      </Field>
      <NumberField
        form={form}
        onChange={onChange}
        refused={refused}
        effects={effects}
        field="limit"
        path="/daily_limit"
        label="Daily limit"
        description="Requests a day. Empty: the limit of the tier."
      />
      <NumberField
        form={form}
        onChange={onChange}
        refused={refused}
        effects={effects}
        field="rate"
        path="/requests_per_second"
        label="Requests per second"
        description="Empty: only the daily limit applies."
      />
    </>
  );
}

type NumberFieldProps = KeyFieldsProps & {
  field: 'limit' | 'rate';
  path: string;
  label: string;
  description: string;
};

function NumberField({
  form,
  onChange,
  refused,
  effects = {},
  field,
  path,
  label,
  description,
}: NumberFieldProps) {
  return (
    <Field effect={effects[field]}>
      <TextInput
        type="number"
        label={label}
        description={description}
        min={1}
        step={1}
        error={ruleAt(refused, path)}
        value={form[field]}
        onChange={(event) => onChange({ [field]: event.currentTarget.value })}
      />
    </Field>
  );
}

/** `item` is the position of the network that breaks the rule. */
function withLine(rule: string | undefined, networks: string, item = -1): string | undefined {
  let seen = 0;
  const line = networks.split('\n').findIndex((text) => {
    seen += networksOf(text).length;
    return seen > item;
  });
  return rule === undefined || item < 0 ? rule : `Line ${line + 1}: ${rule}`;
}

export function Field({ effect, children }: { effect?: string | undefined; children: ReactNode }) {
  return (
    <div className={classes['field']}>
      {children}
      <p className={classes['effect']} role="status">
        {effect}
      </p>
    </div>
  );
}

/** `item`: the position in the field's list. */
export type RefusedField = { readonly path: string; readonly rule: string; readonly item?: number };

const IDENTITY_PATHS: readonly unknown[] = ['/name', '/tier'];
const ATTRIBUTE_PATHS: readonly unknown[] = [
  '/note',
  '/expires_at',
  '/allowed_networks',
  '/allowed_domains',
  '/requests_per_second',
  '/daily_limit',
];

/**
 * The field that the server refused, with its rule. Undefined for a failure that no field of the
 * forms shows.
 */
export function refusedFieldOf(error: unknown): RefusedField | undefined {
  if (!isFailure(error, 'INVALID_REQUEST')) return undefined;
  const { path: text, rule } = error.details;
  const [, path, item] = /^(\/\w+)(?:\/(\d+))?$/.exec(String(text)) ?? [];
  return path !== undefined &&
    [...IDENTITY_PATHS, ...ATTRIBUTE_PATHS].includes(path) &&
    typeof rule === 'string'
    ? { path, rule: capitalise(rule), ...(item === undefined ? {} : { item: Number(item) }) }
    : undefined;
}

export const isAttribute = ({ path }: RefusedField) => ATTRIBUTE_PATHS.includes(path);

/** For the `error` of the field. */
export const ruleAt = (refused: RefusedField | undefined, path: string) =>
  refused?.path === path ? refused.rule : undefined;
