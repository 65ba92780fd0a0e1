// The port has a key of its own: no layer of another port takes its place.
import { assert, it } from "vitest"
import { SecondModel } from "../../../src/hook/SecondModel.ts"

it("the port is known by its place", () =>
  assert.strictEqual(SecondModel.key, "ooda-codex-review/services/SecondModel"))
