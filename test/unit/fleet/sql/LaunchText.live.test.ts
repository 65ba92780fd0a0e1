// LaunchText: an executor is told exactly what was launched, and nothing that is no launch.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { launchIn, launchText } from "../../../../src/fleet/sql/Reviewers.live.ts"
import type { Launch } from "../../../../src/review/Reviewers.ts"

const told: Omit<Launch, "binary"> = {
  argv: ["review", "--base", "main", "-c", 'model_reasoning_effort="low"'],
  cwd: "/work/trees/a/7/x-y/a",
  isolated: true,
  line: { seq: 2, hash: "a".repeat(64) },
  reviewTimeout: 3_600_000,
  maxTranscript: 1024 ** 3
}
const launch: Launch = { binary: "./codex", ...told }

it("comes back as it was, without the program", async () =>
  assert.deepStrictEqual(await Effect.runPromise(launchIn(launchText(launch))), told))

it("of an earlier version, with a program, comes back without it", async () =>
  assert.deepStrictEqual(await Effect.runPromise(launchIn(JSON.stringify(launch))), told))

it.each(["", "{}", "[]", launchText(launch).replace("review", "\u0000").slice(1)])(
  "%j is no launch",
  async (text) => assert.isDefined(await Effect.runPromise(Effect.flip(launchIn(text))))
)
