import { adapter } from "./adapter.ts";
import { fileStreamsContract } from "./file-streams-contract.ts";
import { fileWritesContract } from "./file-writes-contract.ts";
import { filesContract } from "./files-contract.ts";

filesContract(adapter.createFiles);
fileWritesContract(adapter.createFiles);
fileStreamsContract(adapter.createFiles);
