/**
 * A port on which no program listens. A port that was just closed may go to another process of the
 * same run; systems never assign one below 1024, this one has no service, and no runtime's `fetch`
 * refuses it as a bad port.
 */
export const CLOSED_PORT = 2;
