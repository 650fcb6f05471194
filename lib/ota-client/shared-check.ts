import { callSafely } from "./call-safely.ts";
import {
  type CheckDependencies,
  checkForUpdate,
  type ConnectionInfo,
  type OnWillStage,
} from "./check.ts";
import type { CheckResult } from "./result.ts";

/** {@linkcode checkForUpdate} with its dependencies filled in. */
export type UpdateCheck = (
  connection: ConnectionInfo,
  onWillStage?: OnWillStage,
) => Promise<CheckResult>;

/**
 * Binds a check to a network and a device. A caller during a running check of the same connection
 * joins that check: both get its answer, and both are called before it stages.
 */
export function createUpdateCheck(dependencies: CheckDependencies): UpdateCheck {
  const running = new Map<string, SharedCheck>();
  return async (connection, onWillStage) => {
    const tell: OnWillStage = (update) => callSafely(() => onWillStage?.(update));
    const key = JSON.stringify(connection);
    let shared = running.get(key);
    if (shared === undefined) {
      const listeners: OnWillStage[] = [];
      const started: SharedCheck = {
        listeners,
        answer: checkForUpdate(dependencies, connection, (update) => {
          started.update = update;
          for (const listener of listeners) listener(update);
        }),
      };
      running.set(key, shared = started);
      void started.answer.then(() => running.delete(key));
    }
    if (shared.update) tell(shared.update);
    else shared.listeners.push(tell);
    return await shared.answer;
  };
}

interface SharedCheck {
  readonly listeners: OnWillStage[];
  readonly answer: Promise<CheckResult>;
  update?: Parameters<OnWillStage>[0];
}
