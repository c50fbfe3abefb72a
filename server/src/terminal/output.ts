/** Where a command writes. `write` follows Node's streams: when it returns false, wait for `drain`. */
export type Output = {
  write(text: string | Uint8Array): unknown;
  on?(event: 'drain' | 'error', listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};
