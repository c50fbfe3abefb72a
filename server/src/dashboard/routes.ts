/** Every route of the dashboard. The type of the table is the contract: a route without a row does not compile. */

import { datasetRoutes } from './data/dataset-routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { lookupRoutes } from './look-up/lookup-routes.ts';
import { auditRoutes } from './operation/audit-routes.ts';
import { operationRoutes } from './operation/operation-routes.ts';
import type { RouteParts } from './parts.ts';
import { peopleRoutes } from './people/people-routes.ts';
import { sessionRoutes } from './people/session-routes.ts';
import type { RouteTable } from './requests/ask.ts';
import { usageRoutes } from './usage/usage-routes.ts';

export function dashboardRoutes(parts: RouteParts): RouteTable {
  return {
    ...sessionRoutes(parts),
    ...peopleRoutes(parts),
    ...keyRoutes(parts),
    ...usageRoutes(parts),
    ...lookupRoutes(parts),
    ...datasetRoutes(parts),
    ...operationRoutes(parts),
    ...auditRoutes(parts),
  };
}
