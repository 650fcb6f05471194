import { adapter } from "./adapter.ts";
import { processesContract } from "./processes-contract.ts";

processesContract(adapter.createProcesses);
