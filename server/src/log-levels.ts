/** The values of WHENCE_LOG_LEVEL. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
