// The port to submissions: its key is one of its own, by which a layer is found.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Submissions } from "../../../src/fleet/Submission.ts"

it("is found by its key, and a layer of it answers", async () => {
  assert.strictEqual(Submissions.key, "ooda-codex-review/services/Submissions")
  const none = Submissions.of({
    submit: () => Effect.die("nothing is submitted"),
    of: () => Effect.succeed([]),
    pin: () => Effect.void,
    pins: () => Effect.succeed([])
  })
  const asked = Submissions.use((them) => them.of({ root: "pg:1", repoId: "a", targetKey: "pr/1" }, 1))
  assert.isEmpty(await Effect.runPromise(Effect.provideService(asked, Submissions, none)))
})
