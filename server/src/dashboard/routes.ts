/**
 * Every route of the dashboard. The type of the table is the contract: a missing route does not
 * compile.
 */
import { CostQueue } from '../limits/cost-classes.ts';
import { channelRoutes } from './alerts/channel-routes.ts';
import { databaseRoutes } from './data/database-routes.ts';
import { datasetRoutes } from './data/dataset-routes.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { lookupRoutes } from './lookup/lookup-routes.ts';
import { reportRoutes } from './lookup/report-routes.ts';
import { watchRoutes } from './lookup/watch-routes.ts';
import { auditRoutes } from './operation/audit-routes.ts';
import { operationRoutes } from './operation/operation-routes.ts';
import { peopleRoutes } from './people/people-routes.ts';
import { sessionRoutes } from './people/session-routes.ts';
import type { RouteTable } from './requests/ask.ts';
import { ruleRoutes } from './rules/rule-routes.ts';
import { usageRoutes } from './usage/usage-routes.ts';

export function dashboardRoutes(dependencies: DashboardDependencies): RouteTable {
  const exports = new CostQueue('export');
  return {
    ...sessionRoutes(dependencies),
    ...peopleRoutes(dependencies),
    ...keyRoutes(dependencies),
    ...usageRoutes(dependencies, exports),
    ...lookupRoutes(dependencies),
    ...reportRoutes(dependencies),
    ...watchRoutes(dependencies),
    ...channelRoutes(dependencies),
    ...datasetRoutes(dependencies),
    ...databaseRoutes(dependencies),
    ...ruleRoutes(dependencies),
    ...operationRoutes(dependencies),
    ...auditRoutes(dependencies, exports),
  };
}
