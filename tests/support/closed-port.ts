/**
 * A port on which nobody listens: one that was just given back may be handed to another process of
 * the same run. Systems hand out none below 1024 by themselves, this one has no service, and no
 * runtime's `fetch` refuses it as a bad port.
 */
export const CLOSED_PORT = 2;
