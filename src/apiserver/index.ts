export { apiServer } from './api-server.ts'
export { admit, refuseHaste } from './guard.ts'
export type { HealthCheck } from './health.ts'
export type { ApiServerOptions } from './options.ts'
