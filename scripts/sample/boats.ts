import { at, box, type Traits, type World } from "./scene-builder.ts";

/** Adds the player's boat with its controls, and the patrols. */
export async function buildBoats(world: World): Promise<void> {
  await buildRunner(world);
  await buildPatrols(world);
}

async function buildRunner({ scene, ref }: World): Promise<void> {
  const material = (name: string) => ref(`materials/${name}.material.json`);
  await scene.add("3d", "Runner", {
    traits: {
      ...at([0, 0.1, 10]),
      Renderable3D: {
        mesh: "model",
        model: ref("models/runner.glb"),
        material: material("hull-red"),
      },
      // It swims: the animation bobs it, and no wave turns it over.
      RigidBody: { mass: 450, gravityScale: 0, linearDamping: 1.6, lockRotation: true },
      Collider: { width: 1.75, height: 0.75, depth: 4 },
      Health: { hp: 3, max: 3 },
      Animator: {
        animset: ref("animations/boat.animset.json"),
        clip: ref("animations/bob.anim.json"),
      },
      Script: { script: ref("scripts/boat.js") },
      Player: {},
    },
  });
  const target = await scene.guid("Runner");
  const steer = (action: string, keys: string, act: Traits[string]): Traits => ({
    InputAction: { action, keys },
    ScriptAction: { on: action, target, local: true, held: true, ...act },
  });
  const cabin = box(material("planks"), [1, 0.7, 1.2]);
  // One impulse per step accelerates it by 14 m/s², until the water limits it to 8.75 m/s.
  await scene.add("3d", "Cabin", {
    parent: "Runner",
    traits: {
      ...at([0, 1.1, 0.4], cabin.size),
      Renderable3D: cabin.Renderable3D,
      ...steer("ahead", "ArrowUp,KeyW,Gamepad7,Gamepad12,GamepadLeftStickUp", { z: -105 }),
    },
  });
  await scene.add("3d", "Funnel", {
    parent: "Runner",
    traits: {
      ...at([0, 1.8, 0.7], { sx: 0.3, sy: 0.8, sz: 0.3 }),
      Renderable3D: { mesh: "cylinder", material: material("hull-grey") },
      ...steer("astern", "ArrowDown,KeyS,Gamepad6,Gamepad13,GamepadLeftStickDown", { z: 60 }),
    },
  });
  await scene.add("3d", "Smoke", {
    parent: "Funnel",
    traits: {
      ...at([0, 0.6, 0]),
      ParticleEmitter: { particle: ref("particles/smoke.particle.json"), rate: 6 },
      ...steer("port", "ArrowLeft,KeyA,Gamepad14,GamepadLeftStickLeft", {
        effect: "turn",
        y: 100,
      }),
    },
  });
  await scene.add("3d", "Wake", {
    parent: "Runner",
    traits: {
      ...at([0, 0, 2.2]),
      ParticleEmitter: { particle: ref("particles/wake.particle.json"), rate: 40 },
      ...steer("starboard", "ArrowRight,KeyD,Gamepad15,GamepadLeftStickRight", {
        effect: "turn",
        y: -100,
      }),
    },
  });
  await scene.add("3d", "Horn", {
    parent: "Runner",
    traits: {
      ...at([0, 1.4, 0]),
      AudioSource: { clip: ref("audio/horn.wav"), volume: 0.8 },
      InputAction: { action: "horn", keys: "Space,Gamepad3" },
      ScriptAction: { on: "horn", effect: "playSound" },
    },
  });
}

async function buildPatrols({ scene, ref, level }: World): Promise<void> {
  let posts = 0;
  for (const [i, { at: [x, z], reach, speed, along = false }] of level.patrols.entries()) {
    await scene.add("3d", `Patrol ${i + 1}`, {
      traits: {
        ...at([x, 0.1, z]),
        Renderable3D: {
          mesh: "model",
          model: ref("models/patrol.glb"),
          material: ref("materials/hull-grey.material.json"),
        },
        Collider: { width: 2, depth: 5 },
        Patrol: { target: await scene.guid(`Post ${posts + 1}`), speed, faces: true },
        Script: { script: ref("scripts/patrol.js") },
        Enemy: {},
      },
    });
    // From one post to the other and back, for ever.
    const [first, second] = [`Post ${posts + 1}`, `Post ${posts + 2}`];
    for (const [name, way, other] of [[first, -reach, second], [second, reach, first]] as const) {
      await scene.add("3d", name, {
        traits: {
          ...at(along ? [x, 0, z + way] : [x + way, 0, z]),
          Patrol: { target: await scene.guid(other), speed: 0 },
        },
      });
    }
    posts += 2;
  }
  await scene.add("3d", "Patrol Spawner", {
    traits: {
      ...at([52, 0, -50]),
      Spawner: { prefab: ref("prefabs/patrol.prefab.json"), interval: 20, limit: 2 },
    },
  });
}

/** Adds the sounds and effects of the boat besides its engine. */
export async function buildEffects({ scene, ref, level }: World): Promise<void> {
  const sound = (clip: string, volume: number): Traits[string] => ({
    clip: ref(`audio/${clip}.wav`),
    spatial: false,
    volume,
  });
  const target = await scene.guid("Runner");
  await scene.add("3d", "Boost Engine", {
    parent: "Runner",
    traits: {
      InputAction: { action: "boost", keys: "ShiftLeft,ShiftRight,Gamepad2" },
      ScriptAction: {
        on: "boost",
        effect: "velocity",
        target,
        local: true,
        z: -18,
        cooldown: 4,
      },
    },
  });
  for (
    const [name, on, clip, volume, cooldown] of [
      ["Boost Sound", "boost", "boost", 0.5, 4],
      ["Coin Chime", "@collect", "coin", 0.5, 0],
      ["Gate Chime", "@checkpoint", "gate", 0.5, 0],
      ["Crash", "@hurt", "crash", 0.8, 0],
    ] as const
  ) {
    await scene.add("3d", name, {
      parent: "Runner",
      traits: {
        AudioSource: sound(clip, volume),
        ScriptAction: { on, effect: "playSound", cooldown },
      },
    });
  }
  if (level.sky.isDark !== true) return;
  await scene.add("3d", "Headlight", {
    parent: "Runner",
    traits: {
      ...at([0, 2, -1], { rx: -12 }),
      Light: { kind: "spot", color: "#fff3c4", intensity: 60, range: 45, angle: 50 },
    },
  });
}
