/** Audit of a served bucket, as a client and as an auditor see it: every record, file and header. */
export { type Audit, audit, type AuditPlace } from "./audit.ts";
