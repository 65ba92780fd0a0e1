// A refusal of git is an answer of the port, not a failure.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Commits } from "../../../src/drive/Commits.ts"

it("a host's own commits take the place of git's", async () => {
  const refused = { commit: null, output: "locked" }
  const asked = Commits.use((commits) => commits.commitAll("/repo", "Fix"))
  const own = Commits.of({ commitAll: () => Effect.succeed(refused) })
  assert.deepStrictEqual(await Effect.runPromise(Effect.provideService(asked, Commits, own)), refused)
})
