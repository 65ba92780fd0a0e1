// stepLayers: what a step of the program finds on this machine.
import { assert, it } from "vitest"
import { Live } from "../../src/layers.ts"
import { stepping } from "../../src/stepLayers.ts"
import { provided } from "./provided.ts"

// Only who drives a run, and `doctor`, need these.
const unused = ["Commits", "Drivers", "Machine", "PlanFiles", "Tests"]

it("a step finds the ports of the library, the process's signals, and progress, and no port that it does not use", async () => {
  const ports = await provided(stepping)
  const ofLibrary = (await provided(Live.layer)).filter((port) => !unused.includes(port))
  assert.sameMembers([...ports], [...ofLibrary, "Progress"])
})
