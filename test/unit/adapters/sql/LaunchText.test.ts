// LaunchText: an executor is told exactly what was launched, and nothing that is no launch.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { launchIn, launchText } from "../../../../src/adapters/sql/LaunchText.ts"
import type { Launch } from "../../../../src/services/Reviewers.ts"

const launch: Launch = {
  binary: "codex",
  argv: ["review", "--base", "main", "-c", 'model_reasoning_effort="low"'],
  cwd: "/work/trees/a/7/x-y/a",
  isolated: true,
  line: { seq: 2, hash: "a".repeat(64) },
  reviewTimeout: 3_600_000,
  maxTranscript: 1024 ** 3
}

it("comes back as it was", async () =>
  assert.deepStrictEqual(await Effect.runPromise(launchIn(launchText(launch))), launch))

it.each(["", "{}", "[]", launchText(launch).replace("review", "\u0000").slice(1)])(
  "%j is no launch",
  async (text) => assert.isDefined(await Effect.runPromise(Effect.flip(launchIn(text))))
)
