// Loaded before test files under Node. Its test runner attributes every promise to its test,
// through async hooks, to name that test when an error reaches no promise: this takes half of the
// time of tests that await much. The gate names the file of such an error, and runs that file again
// with the hooks.

import hooks from "node:async_hooks";

const { createHook } = hooks;
// The runner is the only one here that asks; it reads the property when its first test is registered.
hooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  hook.enable = () => hook;
  return hook;
};
