import { routesOfRoles, type Routes } from '../pacing/routes.ts';
import { taskQueues } from '../runtime/temporal/task-queues.ts';
import { workerRoles } from '../runtime/temporal/worker-roles.ts';

/** The queues that the workers of a service poll together, without those of single speech engines. */
export function queuesOfService(prefix: string, routes: Routes): readonly string[] {
  const ofRoutes = routesOfRoles(routes, workerRoles).map(({ route }) => taskQueues.route(prefix, route));
  const others = (['workflows', 'fetch', 'sites', 'speechSteps', 'webhooks'] as const).map((queue) =>
    taskQueues[queue](prefix),
  );
  return [...ofRoutes, ...others];
}
