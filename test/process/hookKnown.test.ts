// An edit that comes again is answered from its session, and codex is not asked again.
import { assert } from "vitest"
import { answers, called, edit, hook } from "./hooking.ts"
import { it } from "./world.ts"

it("says nothing again where it passed, and gives its reason again where it failed", async ({ world }) => {
  const other = { ...edit("y"), tool_input: { file_path: "b.ts", content: "y" } }
  await hook(world, edit("x"), answers("PASS")).ended
  const { stdout } = await hook(world, other, answers("FAIL\n- wrong")).ended
  assert.match(stdout, /- wrong/)
  assert.strictEqual((await hook(world, edit("x"), null).ended).stdout, "")
  assert.strictEqual((await hook(world, other, null).ended).stdout, stdout)
  assert.strictEqual(called(world), 2)
})
