/** A request to the dashboard as its handlers see it, typed by the contract, and the table that has a row per route. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Client, Session } from '../../accounts/sessions.ts';
import type { Actor } from '../../audit/audit-log.ts';
import type { Role } from '../../vocabulary.ts';
import type { Contract, RouteName } from '../wire/contract.ts';

type Part<Name extends RouteName, Key extends string> =
  Contract[Name] extends Record<Key, infer T> ? T : Record<never, never>;

export type PublicAsk<Name extends RouteName> = {
  readonly params: Part<Name, 'params'>;
  /** As sent: handlers parse it. */
  readonly query: { readonly [Key in keyof Part<Name, 'query'>]?: string };
  /** Validated by the route's schema. */
  readonly body: Part<Name, 'body'>;
  readonly session: Session | undefined;
  readonly client: Client;
  readonly now: Date;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

export type Ask<Name extends RouteName> = PublicAsk<Name> & {
  readonly session: Session;
  /** The account of the session, for the audit log. */
  readonly actor: Actor;
};

/** `data` of the answer; or the reply, where the handler has sent it. */
type Answer<Name extends RouteName> = Contract[Name]['answer'] | FastifyReply;

/** Every route names who may call it: the public, or a role and those above it. */
export type Route<Name extends RouteName> = { readonly bodySchema?: object } & (
  | { readonly access: 'public'; readonly handler: (ask: PublicAsk<Name>) => Answer<Name> | Promise<Answer<Name>> }
  | { readonly access: Role; readonly handler: (ask: Ask<Name>) => Answer<Name> | Promise<Answer<Name>> }
);

export type RouteTable = { readonly [Name in RouteName]: Route<Name> };
/** The rows of one file. */
export type Rows<Name extends RouteName> = Pick<RouteTable, Name>;
