/**
 * Requests and responses as JSON, with the field names of the specification. Types only: at run time the client
 * validates the envelope (envelope.ts), not its content. The package exports them as one module.
 */
export type * from './wire/address-sections.ts';
export type * from './wire/asn.ts';
export type * from './wire/batch.ts';
export type * from './wire/dataset.ts';
export type * from './wire/dataset-diff.ts';
export type * from './wire/email.ts';
export type * from './wire/envelope.ts';
export type * from './wire/errors.ts';
export type * from './wire/health.ts';
export type * from './wire/ip.ts';
export type * from './wire/mail-networks.ts';
export type * from './wire/mail-transport.ts';
export type * from './wire/prefix.ts';
