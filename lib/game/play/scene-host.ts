import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import { EntityDocument } from "../scene/mod.ts";
import type { World } from "../scene/mod.ts";
import type { Viewport } from "../types/mod.ts";
import type { GameContent, GameHost, SavedValues } from "../world/mod.ts";

/** Options of a separate host; without a listener, nothing is stored or reported. */
export interface SceneHostOptions {
  readonly clock: Clock;
  /** Size of the viewport, to whose pixels pointers refer. */
  readonly viewport: Viewport;
  readonly saved?: SavedValues;
  readonly journals?: GameHost["journals"];
  readonly console?: GameHost["console"];
}

/** Host of a game without an editor, started in a scene of its content. */
export class SceneHost implements GameHost {
  readonly clock: Clock;
  readonly document: EntityDocument;
  readonly scenePath: string;
  readonly viewport: Viewport;
  readonly saved: SavedValues;
  readonly journals: GameHost["journals"];
  readonly console: GameHost["console"];
  round = 0;
  nextPlayRev = 0;
  playing: World | null = null;
  playingScene: string | null = null;

  /**
   * Creates the host of a game that was started elsewhere, in these entities. @param scenePath The
   * scene of the entities.
   */
  static of(document: EntityDocument, scenePath: string, options: SceneHostOptions): SceneHost {
    return new SceneHost(document, scenePath, options);
  }

  private constructor(document: EntityDocument, scenePath: string, options: SceneHostOptions) {
    this.document = document;
    this.scenePath = scenePath;
    this.clock = options.clock;
    this.viewport = options.viewport;
    this.saved = options.saved ?? new Map<string, number>();
    this.journals = options.journals ?? { noteGame: () => {}, noteTimeline: () => {} };
    this.console = options.console ?? { write: () => {} };
  }

  /** Opens a scene of the content. @returns Why it cannot be opened. */
  static async open(
    content: GameContent,
    scenePath: string,
    options: SceneHostOptions,
  ): Promise<Result<SceneHost, Problem>> {
    const read = await content.readScene(scenePath);
    if (!read.ok) return read;
    const document = new EntityDocument(read.value.entities, undefined, content);
    return ok(new SceneHost(document, scenePath, options));
  }
}
