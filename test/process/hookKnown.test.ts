// An edit that comes again is answered by what stands in its session's file: nobody's lock, and no codex, is waited for.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { assert } from "vitest"
import { answers, called, edit, hook, stateFile } from "./hooking.ts"
import { eventually, it } from "./world.ts"

it("says nothing again where it passed, and gives its reason again where it failed", async ({ world }) => {
  const other = { ...edit("y"), tool_input: { file_path: "b.ts", content: "y" } }
  await hook(world, edit("x"), answers("PASS")).ended
  const { stdout } = await hook(world, other, answers("FAIL\n- wrong")).ended
  assert.match(stdout, /- wrong/)
  const lock = stateFile(world).replace(/json$/, "lock")
  const holder = spawn("flock", [lock, "sh", "-c", `echo >"${world.path("held")}"; exec sleep 60`], { detached: true })
  await eventually("the lock is held", () => existsSync(world.path("held")))
  assert.strictEqual((await hook(world, edit("x"), null).ended).stdout, "")
  assert.strictEqual((await hook(world, other, null).ended).stdout, stdout)
  assert.strictEqual(called(world), 2)
  process.kill(-(holder.pid ?? 0), "SIGKILL")
})
