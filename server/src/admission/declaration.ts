// Who may ask a route, what a request counts as, and what it may cost. A route without it does not
// compile or start.
import type { RouteOptions } from 'fastify';
import type { ApiError } from '../http/errors.ts';
import type { CostClass } from '../limits/cost-classes.ts';
import type { Permission, Role } from '../vocabulary.ts';

/** Names of requests in statistics, in the API and in the dashboard. */
export type Counted =
  | 'ip'
  | 'ip_history'
  | 'batch'
  | 'prefix'
  | 'asn'
  | 'asn_search'
  | 'email'
  | 'email_reports'
  | 'watch'
  | 'decide'
  | 'list'
  | 'database'
  | 'dataset'
  | 'mcp';

export type Declaration = {
  /** A permission of a key, a role of an account or one above it, or neither. */
  readonly access: Permission | Role | 'any key' | 'public';
  /** What a request counts as, for daily limits and in statistics. */
  readonly counts: Counted | 'nothing';
  /** All that its questions may cost, the usual first. */
  readonly costs: readonly [CostClass, ...CostClass[]];
};

export type KeyDeclaration = Declaration & {
  readonly access: Permission;
  readonly counts: Counted;
  /**
   * What the daily limit is charged for: `files` is an answer with a file or a part of it. All
   * requests unless given.
   */
  readonly charges?: 'files' | 'nothing';
  /**
   * Where the key may be, beside the header: the password of Basic authentication, a parameter of
   * the query.
   */
  readonly keyIn?: readonly ('basic' | 'license_key')[];
};
export type PageDeclaration = Declaration & {
  readonly access: Role | 'public';
  /** A part of a page whose main request is counted in statistics: it counts for limits alone. */
  readonly isPart?: boolean;
};

/** Documents, files and states that are answered from memory, for everyone. */
export const FREE: Declaration = { access: 'public', counts: 'nothing', costs: ['lookup'] };

declare module 'fastify' {
  interface FastifyContextConfig {
    name?: string;
    declaration?: Declaration;
    /** Refusals as the clients of the route expect them; the envelope of the API unless given. */
    refusalText?: (error: ApiError) => string;
  }
}

export function requireDeclaration({
  method,
  url,
  config,
}: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
  if (config?.declaration === undefined)
    throw new Error(`${method} ${url} declares neither access, count nor cost`);
}
