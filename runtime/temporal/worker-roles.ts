/** The roles of workers. Each has its own task queues. */
export const workerRoles = ['workflows', 'vidnet', 'imgnet', 'media', 'speech', 'webhooks'] as const;
export type WorkerRole = (typeof workerRoles)[number];
