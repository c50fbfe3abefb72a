/** The OpenAPI document as one page for people: no script, no font, nothing from elsewhere. */

type Schema = {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  oneOf?: Schema[];
  additionalProperties?: Schema;
  examples?: unknown[];
};
type Operation = {
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; example?: string }[];
  requestBody?: { content?: Record<string, { schema?: Schema; example?: unknown }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;
};
type Document = { info?: { title?: string; description?: string }; paths?: Record<string, Record<string, Operation>> };

export function renderDocs(document: object): string {
  const { info, paths } = document as Document;
  const operations = Object.entries(paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const links = operations.map(({ path, method, operation }) => {
    const id = anchor(method, path);
    return `<li><a href="#${id}"><b>${method}</b> ${escapeHtml(path)}</a><span>${escapeHtml(operation.summary ?? '')}</span></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info?.title ?? 'API')}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${escapeHtml(info?.title ?? 'API')}</h1><p>${escapeHtml(info?.description ?? '')} The same for machines: <a href="/openapi.json">openapi.json</a>.</p></header>
<nav><ul>${links.join('')}</ul></nav>
<main>${operations.map(renderOperation).join('')}</main>
<footer>Country data: <a href="https://db-ip.com">IP Geolocation by DB-IP</a>. Routing data: routeviews.org, nro.net.</footer>
</body>
</html>
`;
}

function renderOperation({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const { summary, description, security, parameters = [], requestBody, responses = {} } = operation;
  const body = requestBody?.content?.['application/json']?.schema;
  const rows = parameters.map(
    ({ name, in: place, required, description: text, example: value }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}${required === true ? ', required' : ''}</td><td>${escapeHtml(text ?? '')} <em>${escapeHtml(value ?? '')}</em></td></tr>`,
  );
  const answers = Object.entries(responses).map(([status, { description: text, content }]) => {
    const schema = content?.['application/json']?.schema;
    return `<details${status === '200' ? ' open' : ''}><summary><code class="s${status[0]}">${status}</code> ${escapeHtml(text ?? '')}</summary>${schema === undefined ? '' : renderSchema(schema)}</details>`;
  });
  return `<section id="${anchor(method, path)}">
<h2><b>${method}</b> ${escapeHtml(path)}</h2>
<p>${escapeHtml(summary ?? '')}${summary?.endsWith('?') ? '' : '.'} ${escapeHtml(description ?? '')} ${security === undefined ? 'No key needed.' : 'Needs a key in <code>X-API-Key</code>.'}</p>
<pre>${escapeHtml(curl(path, method, operation))}</pre>
${rows.length === 0 ? '' : `<table><tbody>${rows.join('')}</tbody></table>`}
${body === undefined ? '' : `<h3>Body</h3>${renderSchema(body)}`}
<h3>Answers</h3>${answers.join('')}
</section>`;
}

/** The request that the examples make, ready to paste. */
function curl(path: string, method: string, { security, parameters = [], requestBody }: Operation): string {
  let url = path;
  for (const { name, in: place, example: value } of parameters) {
    if (place === 'path') url = url.replace(`{${name}}`, value ?? name);
    else if (name === 'q') url += `?${name}=${value}`;
  }
  const body = requestBody?.content?.['application/json']?.example;
  const key = security === undefined ? '' : ' -H "X-API-Key: $WHENCE_KEY"';
  const data = body === undefined ? '' : ` -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return `curl${method === 'POST' ? ' -X POST' : ''}${key}${data} 'http://127.0.0.1:8080${url}'`;
}

function renderSchema(schema: Schema): string {
  return `<table><tbody>${rowsOf(schema, 0).join('')}</tbody></table>`;
}

/** A row per property; those of an object or of the items of a list follow it, one step further in. */
function rowsOf(schema: Schema, depth: number): string[] {
  if (schema.oneOf !== undefined) return schema.oneOf.flatMap((one) => rowsOf(one, depth));
  if (schema.additionalProperties !== undefined) {
    const entry = `<tr><td class="d${depth}">each submitted text</td><td>object</td><td>A record, or an error and its code.</td></tr>`;
    return [entry, ...rowsOf(schema.additionalProperties, depth + 1)];
  }
  const { properties = {}, required = [] } = schema.items ?? schema;
  return Object.entries(properties).flatMap(([name, property]) => {
    const isOptional = !required.includes(name);
    const label = `<code>${escapeHtml(name)}</code>${isOptional ? '<i>optional</i>' : ''}`;
    const text = `${escapeHtml(property.description ?? '')}${example(property)}`;
    return [
      `<tr><td class="d${depth}">${label}</td><td>${typeOf(property)}</td><td>${text}</td></tr>`,
      ...rowsOf(property, depth + 1),
    ];
  });
}

function typeOf({ type, enum: values, const: value }: Schema): string {
  if (value !== undefined) return `<code>${escapeHtml(JSON.stringify(value))}</code>`;
  if (values !== undefined) return values.map((one) => `<code>${escapeHtml(String(one))}</code>`).join(' ');
  return escapeHtml([type ?? ''].flat().join(' or '));
}

function example(schema: Schema | undefined): string {
  const first = schema?.examples?.[0];
  return first === undefined || typeof first === 'object' ? '' : ` <em>${escapeHtml(String(first))}</em>`;
}

const anchor = (method: string, path: string) => `${method}${path.replaceAll(/[^a-zA-Z]+/g, '-')}`.toLowerCase();

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1d2430;--soft:#5b6676;--line:#d9dee6;--paper:#fff;--code:#f3f5f8;--link:#0b5cad;--ok:#157347;--no:#a8341f}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ef;--soft:#9aa5b5;--line:#313947;--paper:#14181f;--code:#1e242e;--link:#7fb6f2;--ok:#5fc98f;--no:#f08b74}}
*{box-sizing:border-box}body{margin:0 auto;max-width:60rem;padding:2rem 1.25rem;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:2rem;margin:0}h2{font-size:1.15rem;font-family:ui-monospace,monospace;font-weight:500;margin:0 0 .5rem}h2 b,nav b{color:var(--ok)}h3{font-size:.95rem;margin:1.2rem 0 .4rem}
header p{color:var(--soft);margin:.3rem 0 1.5rem}a{color:var(--link)}nav ul{list-style:none;padding:0;margin:0 0 2rem;border-top:1px solid var(--line)}
nav li{display:flex;gap:1rem;justify-content:space-between;padding:.45rem 0;border-bottom:1px solid var(--line);font-family:ui-monospace,monospace;font-size:.9rem;flex-wrap:wrap}nav a{text-decoration:none}nav span{color:var(--soft);font-family:system-ui,sans-serif}
section{padding:1.5rem 0;border-top:2px solid var(--line)}pre{background:var(--code);padding:.8rem 1rem;border-radius:.4rem;overflow-x:auto;font-size:.85rem}
code{background:var(--code);padding:.1em .35em;border-radius:.25rem;font-size:.85em}table{border-collapse:collapse;width:100%;margin:.3rem 0;font-size:.9rem}
td{border-top:1px solid var(--line);padding:.35rem .6rem .35rem 0;vertical-align:top;overflow-wrap:anywhere}td:first-child{width:16rem}td:nth-child(2){width:16rem;color:var(--soft)}.d1{padding-left:1.5rem}.d2{padding-left:3rem}.d3{padding-left:4.5rem}td i{color:var(--soft);font-size:.8em;margin-left:.4em}em{color:var(--soft)}
details{border-top:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer}.s2{color:var(--ok)}.s4,.s5{color:var(--no)}footer{color:var(--soft);font-size:.85rem;border-top:2px solid var(--line);padding-top:1rem}
`;
