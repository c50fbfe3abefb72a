/** A request to the dashboard as its handlers see it, typed by the contract, and the table that has a row per route. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Client, Session } from '../../accounts/sessions.ts';
import type { PageDeclaration } from '../../admission/declaration.ts';
import type { Actor } from '../../audit/audit-log.ts';
import type { TextsOf, ValueOf } from '../../http/json-schema.ts';
import type { Requester } from '../../limits/cost-classes.ts';
import type { Role } from '../../vocabulary.ts';
import type { Answers, Params, RouteName } from '../wire/contract.ts';
import type { requests } from '../wire/requests.ts';

type Part<Name extends RouteName, Key extends string> = Name extends keyof typeof requests
  ? (typeof requests)[Name] extends Record<Key, infer Given>
    ? Given
    : unknown
  : unknown;

export type PublicAsk<Name extends RouteName> = {
  readonly params: Params<Name>;
  /** As sent: handlers parse it. */
  readonly query: TextsOf<Part<Name, 'querystring'>>;
  /** Validated by the route's schema. */
  readonly body: ValueOf<Part<Name, 'body'>>;
  readonly session: Session | undefined;
  readonly client: Client;
  /** Who waits in the queue of a cost class. */
  readonly requester: Requester;
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
type Answer<Name extends RouteName> = Answers[Name] | FastifyReply;

/** Rows of storage, or a state in memory, for a page. */
export const QUERY = { counts: 'nothing', costs: ['storage'] } as const;
/** All rows, as a file. */
export const EXPORT = { counts: 'nothing', costs: ['export'] } as const;

/** Every route declares who may call it, the public or a role and those above it, and what a request is charged. */
export type Route<Name extends RouteName> = { readonly charge: Omit<PageDeclaration, 'access'> } & (
  | { readonly access: 'public'; readonly handler: (ask: PublicAsk<Name>) => Answer<Name> | Promise<Answer<Name>> }
  | { readonly access: Role; readonly handler: (ask: Ask<Name>) => Answer<Name> | Promise<Answer<Name>> }
);

export type RouteTable = { readonly [Name in RouteName]: Route<Name> };
/** The rows of one file. */
export type Rows<Name extends RouteName> = Pick<RouteTable, Name>;
