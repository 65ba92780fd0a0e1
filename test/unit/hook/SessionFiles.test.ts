// The port has a key of its own: no layer of another port takes its place.
import { assert, it } from "vitest"
import { SessionFiles } from "../../../src/hook/Sessions.ts"

it("the port is known by its place", () =>
  assert.strictEqual(SessionFiles.key, "ooda-codex-review/services/SessionFiles"))
