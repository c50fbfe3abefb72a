/** What a page asks of other servers only if a person wants it. In the address bar as `include=hostname,registration`. */
export const ASKABLE = ['hostname', 'registration'] as const;
export type Askable = (typeof ASKABLE)[number];

export type AskProps = { ip: string; isAsked: boolean; onAsk: () => void };

export function parseAsked(include: string): Askable[] {
  const names = include.split(',');
  return ASKABLE.filter((name) => names.includes(name));
}

/** Asked once: not again when the window gets the focus, and not by itself after a failure. */
export const ON_REQUEST = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  retry: false,
} as const;
