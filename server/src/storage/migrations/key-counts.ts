/**
 * Triggers that keep the number of keys by facet, so that it is right while a program that does not know the counts
 * creates and revokes keys. Steps that change what a facet is create them anew.
 */

/** `facet` is an expression for a row, whose columns have this prefix; `columns` are those that it depends on. */
type Counted = { readonly facet: (row?: string) => string; readonly columns: string };

export const keyCountTriggers = (isSqlite: boolean, counted: Counted): string[] =>
  isSqlite ? sqliteTriggers(counted) : postgresTriggers(counted);

/** Keys of the command line have no owner and count in the scope of all keys only. */
function sqliteTriggers({ facet, columns }: Counted): string[] {
  const add = `
    insert into key_counts (scope, facet, key_count) values ('', ${facet('new.')}, 1)
      on conflict (scope, facet) do update set key_count = key_count + 1;
    insert into key_counts (scope, facet, key_count)
      select new.owner_id, ${facet('new.')}, 1 where new.owner_id is not null
      on conflict (scope, facet) do update set key_count = key_count + 1;`;
  const remove = `
    update key_counts set key_count = key_count - 1
      where scope in ('', old.owner_id) and facet = ${facet('old.')};`;
  return [
    `create trigger keys_count_insert after insert on keys begin ${add} end`,
    `create trigger keys_count_delete after delete on keys begin ${remove} end`,
    `create trigger keys_count_update after update of ${columns} on keys begin ${remove} ${add} end`,
  ];
}

/**
 * Per statement where many rows may come at once: a row that is changed thousands of times in one transaction gets slower
 * with every change.
 */
function postgresTriggers({ facet, columns }: Counted): string[] {
  const scopes = "cross join lateral (values (''), (owner_id)) as scopes (scope) where scope is not null";
  const added = (rows: string) => `
    insert into key_counts as counts (scope, facet, key_count)
      select scope, ${facet()}, count(*) from ${rows} ${scopes} group by 1, 2
      on conflict (scope, facet) do update set key_count = counts.key_count + excluded.key_count;`;
  const removed = (rows: string) => `
    update key_counts set key_count = key_counts.key_count - removed.key_count
      from (select scope, ${facet()} as facet, count(*) as key_count from ${rows} ${scopes} group by 1, 2) as removed
      where (key_counts.scope, key_counts.facet) = (removed.scope, removed.facet);`;
  const trigger = (name: string, when: string, body: string) => [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
    `create trigger ${name} after ${when} execute function ${name}()`,
  ];
  return [
    ...trigger('keys_count_insert', 'insert on keys referencing new table as added for each statement', added('added')),
    ...trigger(
      'keys_count_delete',
      'delete on keys referencing old table as removed_keys for each statement',
      removed('removed_keys'),
    ),
    ...trigger(
      'keys_count_update',
      `update of ${columns} on keys for each row`,
      `${removed('(select old.*) as one')} ${added('(select new.*) as one')}`,
    ),
  ];
}
