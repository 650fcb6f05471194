import { z } from "zod";
import { didYouMean } from "../../core/nearest.ts";
import { refuse } from "../../core/problem.ts";
import { ok } from "../../core/result.ts";
import { text } from "../declaration/parameters.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

/** Maximum names in a refusal. */
const NAMED = 50;

/** `list_traits` (SCENE-7). */
const listTraits: Tool = defineTool({
  name: "list_traits",
  route: "/api/traits",
  purpose: "Traits (components) that entities can carry, and the schema of their fields",
  defaultShape: "names only",
  parameters: z.object({ name: text("the trait to document") }),
  drillDown: { name: "one trait's fields: type, unit, default, min, max, options" },
  annotations: READ_ONLY,

  async produce({ editor }) {
    return ok(await editor.traits());
  },

  summarize(traits, { name }) {
    const names = traits.map((trait) => trait.name);
    if (name === undefined) {
      return ok({ count: names.length, traits: names, hint: "Names only: name= for the fields" });
    }
    const schema = traits.find((trait) => trait.name === name);
    if (schema !== undefined) return ok(schema);
    return refuse(
      404,
      "no-such-trait",
      `There is no trait named ${JSON.stringify(name.slice(0, 80))}`,
      didYouMean(
        name,
        names,
        `There are ${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ", …" : ""}`,
      ),
    );
  },
});

export const TRAIT_TOOLS: readonly Tool[] = [listTraits];
