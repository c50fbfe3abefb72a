/**
 * A request to the dashboard as its handlers see it, typed by the contract, and the table that has
 * a row per route.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Client, Session } from '../../accounts/sessions.ts';
import type { PageDeclaration } from '../../admission/declaration.ts';
import type { Actor } from '../../audit/audit-log.ts';
import type { QueryOf, ValueOf } from '../../http/json-schema.ts';
import type { Requester } from '../../limits/cost-classes.ts';
import type { Role } from '../../vocabulary.ts';
import type { Answer, Params, RouteName } from '../wire/contract.ts';
import type { requests } from '../wire/requests.ts';

type Part<Name extends RouteName, Key extends string> = Name extends keyof typeof requests
  ? (typeof requests)[Name] extends Record<Key, infer Given>
    ? Given
    : unknown
  : unknown;

export type PublicAsk<Name extends RouteName> = {
  readonly params: Params<Name>;
  /** Texts are as sent: handlers parse them. */
  readonly query: QueryOf<Part<Name, 'querystring'>>;
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

/** Rows of storage, or a state in memory, for a page. */
export const QUERY = { counts: 'nothing', costs: ['storage'] } as const;
/** All rows, as a file. */
export const EXPORT = { counts: 'nothing', costs: ['export'] } as const;

/**
 * Every route declares who may call it, the public or a role and those above it, and what a request
 * is charged.
 */
export type Route<Name extends RouteName> = {
  readonly charge: Charge;
  /** The body is taken as it is, whatever its type, up to this size. */
  readonly maxRawBytes?: number;
} & (
  | { readonly access: 'public'; readonly handler: Handler<Name, PublicAsk<Name>> }
  | { readonly access: Role; readonly handler: Handler<Name, Ask<Name>> }
);
type Charge = Omit<PageDeclaration, 'access'>;
/** Returns `data` of the answer; or the reply, where it has sent that. */
type Handler<Name extends RouteName, Asked> = (ask: Asked) => Sent<Name> | Promise<Sent<Name>>;
type Sent<Name extends RouteName> = Answer<Name> | FastifyReply;

export const publicRoute = <Name extends RouteName>(
  charge: Charge,
  handler: Handler<Name, PublicAsk<Name>>,
): Route<Name> => ({ access: 'public', charge, handler });

export const route = <Name extends RouteName>(
  access: Role,
  charge: Charge,
  handler: Handler<Name, Ask<Name>>,
): Route<Name> => ({ access, charge, handler });

const queryFor =
  (access: Role) =>
  <Name extends RouteName>(handler: Handler<Name, Ask<Name>>): Route<Name> =>
    route(access, QUERY, handler);
export const forViewers = queryFor('viewer');
export const forMembers = queryFor('member');
export const forAdmins = queryFor('admin');

export type RouteTable = { readonly [Name in RouteName]: Route<Name> };
/** The rows of one file. */
export type Rows = Partial<RouteTable>;
