/** What is served, looked at as a client and as an auditor: every record, every file, every header. */
export { type Audit, audit, type AuditPlace } from "./audit.ts";
