export type { Access, Attempt, AuditEntry, Decision, User } from './access.ts'
