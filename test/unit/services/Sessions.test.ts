// A session that cannot be kept says why.
import { assert, it } from "vitest"
import { SessionFailed, Sessions } from "../../../src/services/Sessions.ts"

it("the failure is its problem, and the port is known by its place", () => {
  assert.strictEqual(new SessionFailed({ problem: "the disk is full" }).message, "the disk is full")
  assert.strictEqual(Sessions.key, "ooda-codex-review/services/Sessions")
})
