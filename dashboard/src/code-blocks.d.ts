/** See `vite.config.ts`. */
declare module '*.md?blocks' {
  export const blocks: Readonly<
    Record<string, readonly { readonly language: string; readonly text: string }[]>
  >;
}
