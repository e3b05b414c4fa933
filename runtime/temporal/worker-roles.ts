/** What a worker may do: each has task queues of its own. */
export const workerRoles = ['workflows', 'vidnet', 'imgnet', 'media', 'speech', 'webhooks'] as const;
export type WorkerRole = (typeof workerRoles)[number];
