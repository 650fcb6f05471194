/** The physics engine; loaded once, when a game first starts. */
export type Rapier = typeof import("@dimforge/rapier3d-compat");

/** Loads the physics engine. */
export async function loadRapier(): Promise<Rapier> {
  const rapier = await import("@dimforge/rapier3d-compat");
  await rapier.init();
  return rapier;
}
