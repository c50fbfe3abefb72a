/** See `vite.config.ts`. */
declare module '*.md?blocks' {
  export const blocks: Readonly<Record<string, readonly { readonly language: string; readonly text: string }[]>>;
}

declare module '*.csv?raw' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: what Vite makes of it.
  export default text;
}
