/**
 * A flag of Node under which it does not optimize WebAssembly: for the one large function of the
 * physics engine that takes more than a second of processor time in each process, longer than most
 * tests play.
 */
export const UNOPTIMIZED = "--liftoff-only";
