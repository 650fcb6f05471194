import { adapter } from "./adapter.ts";
import { serveContract } from "./serve-contract.ts";

serveContract(adapter.serve);
