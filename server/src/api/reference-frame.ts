/**
 * What surrounds the API reference: the dashboard's header with the way back, its colours, and the theme that was chosen
 * there. It is a page of its own, because Scalar inserts style elements, which the policy of the dashboard's pages
 * forbids.
 */

export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>API reference · Whence</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="/docs/frame.css">
<script src="/docs/theme.js"></script>
</head>
<body>
<header class="frame">
<a class="frame-brand" href="/"><img src="/favicon.svg" alt="" width="22" height="22">Whence</a>
<nav aria-label="Dashboard">
<a href="/">Back to the dashboard</a>
<a class="frame-wide" href="/batch">Batch</a>
<a class="frame-wide" href="/data">Data</a>
<a class="frame-wide" href="/settings/keys">API keys</a>
</nav>
<a class="frame-wide frame-file" href="/openapi.json">openapi.json</a>
</header>
<noscript>This page needs JavaScript. The same is in <a href="/openapi.json">/openapi.json</a>.</noscript>
<div id="app"></div>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** The entry that the dashboard keeps its theme in. Before the first paint, so that nothing flashes. */
export const THEME_SCRIPT = `(() => {
  let choice = null;
  try {
    choice = localStorage.getItem('whence-theme');
  } catch {
    // Storage may be blocked; then the system's theme applies.
  }
  const isDark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
`;

/** The values of the dashboard's tokens.css. */
const LIGHT = {
  bg: '#ffffff',
  sunken: '#f5f5f7',
  hover: '#f1f1f4',
  line: '#e7e7ea',
  text: '#191a1d',
  text2: '#555962',
  text3: '#6b6f79',
  accent: '#2f62e0',
};
const DARK = {
  bg: '#131417',
  sunken: '#1a1b1f',
  hover: '#222329',
  line: '#27282e',
  text: '#ececef',
  text2: '#a9adb7',
  text3: '#9096a1',
  accent: '#7299fa',
};
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const MONO = 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", "Liberation Mono", monospace';
const HEADER_PX = 56;

const frameColours = ({ bg, line, text, text2, accent }: typeof LIGHT) =>
  `--bg: ${bg}; --line: ${line}; --text: ${text}; --text-2: ${text2}; --accent: ${accent};`;

export const FRAME_STYLES = `:root { ${frameColours(LIGHT)} color-scheme: light; }
:root[data-theme="dark"] { ${frameColours(DARK)} color-scheme: dark; }
body { margin: 0; background: var(--bg); color: var(--text); font: 14px/1.5 ${FONT}; }
.frame {
  position: sticky; top: 0; z-index: 50; display: flex; align-items: center; gap: 20px;
  box-sizing: border-box; height: ${HEADER_PX}px; padding: 0 20px; background: var(--bg); border-bottom: 1px solid var(--line);
}
.frame a { color: var(--text-2); text-decoration: none; }
.frame a:hover { text-decoration: underline; }
.frame a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.frame .frame-brand { display: flex; align-items: center; gap: 9px; color: var(--text); font-size: 15px; font-weight: 650; }
.frame nav { display: flex; gap: 20px; }
.frame nav a:first-child { color: var(--accent); }
.frame .frame-file { margin-inline-start: auto; }
@media (max-width: 640px) { .frame-wide { display: none; } }
@media print { .frame { display: none; } }
`;

const scalarColours = ({ bg, sunken, hover, line, text, text2, text3, accent }: typeof LIGHT) =>
  `--scalar-background-1: ${bg}; --scalar-background-2: ${sunken}; --scalar-background-3: ${hover};
  --scalar-color-1: ${text}; --scalar-color-2: ${text2}; --scalar-color-3: ${text3}; --scalar-color-accent: ${accent};
  --scalar-border-color: ${line}; --scalar-background-accent: ${hover};`;

/** Codes in tables are not broken inside a word: they are searched for and copied. Scalar's own rules have one class. */
const SCALAR_STYLES = `:root { --scalar-custom-header-height: ${HEADER_PX}px; --scalar-font: ${FONT}; --scalar-font-code: ${MONO}; }
.light-mode { ${scalarColours(LIGHT)} }
.dark-mode { ${scalarColours(DARK)} }
.markdown.markdown table { table-layout: auto; }
.markdown.markdown table code { white-space: nowrap; }
.markdown.markdown :is(td, th) { padding-inline: 8px; word-break: normal; overflow-wrap: normal; }`;

/** Everything that would ask a host of Scalar's is off: fonts, proxy, telemetry, assistant, toolbar, their client. */
const CONFIGURATION = {
  url: '/openapi.json',
  title: 'Whence',
  theme: 'none',
  layout: 'modern',
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: 'never',
  showToolbar: 'never',
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'key' },
  customCss: SCALAR_STYLES,
};

export const START_SCRIPT = `Scalar.createApiReference('#app', {
  ...${JSON.stringify(CONFIGURATION)},
  forceDarkModeState: document.documentElement.dataset.theme,
});
`;
