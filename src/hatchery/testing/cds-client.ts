/** The client of CDS for tests that stand outside of this room, before a real API. */
export { connectCds, type ConnectedCds } from '../cds/connect.ts'
export { signInPatiently } from '../cds/patient-sign-in.ts'
export type { Job } from '../jobs/job.ts'
export { jobSource } from '../jobs/job-source.ts'
