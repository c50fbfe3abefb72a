/** Every route of the dashboard. The type of the table is the contract: a route without a row does not compile. */
import type { RouteTable } from './ask.ts';
import { auditRoutes } from './audit-routes.ts';
import { datasetRoutes } from './dataset-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { lookupRoutes } from './lookup-routes.ts';
import { operationRoutes } from './operation-routes.ts';
import type { RouteParts } from './parts.ts';
import { peopleRoutes } from './people-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { usageRoutes } from './usage-routes.ts';

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
