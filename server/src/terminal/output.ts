/** Where a command writes. A stream, which has `on`, calls `done` when it no longer needs the bytes. */
export type Output = {
  write(text: string | Uint8Array, done?: (error?: Error | null) => void): unknown;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};
