export { apiServer } from './api-server.ts'
export type { HealthCheck } from './health.ts'
export type { ApiServerOptions } from './options.ts'
