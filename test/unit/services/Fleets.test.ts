// Fleets: a worker is refused in one line, whatever the reason holds.
import { assert, it } from "vitest"
import { WorkerRefused } from "../../../src/services/Fleets.ts"

it("refuse a worker in one line", () =>
  assert.strictEqual(new WorkerRefused({ problem: "a\u001b[2Jb" }).message, "a\\u001b[2Jb"))
