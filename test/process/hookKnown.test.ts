// An edit that comes again is answered by the file that node starts, without the files beside it.
import { execFileSync } from "node:child_process"
import { copyFileSync } from "node:fs"
import { assert } from "vitest"
import { answers, edit, hook } from "./hooking.ts"
import { CLI, it, type World } from "./world.ts"

const alone = (world: World, event: object): string => {
  const lone = world.path("lone.cjs")
  copyFileSync(CLI, lone)
  const input = JSON.stringify({ session_id: "s", prompt_id: "p", cwd: world.repo, ...event })
  const env = { PATH: process.env["PATH"], OODA_STATE_ROOT: world.stateRoot }
  return execFileSync(process.execPath, [lone, "hook"], {
    input,
    env,
    cwd: world.repo,
    encoding: "utf8",
    stdio: "pipe"
  })
}

it("says nothing again where it passed, gives its reason again where it failed, and asks of another one", async ({ world }) => {
  await hook(world, edit("x"), answers("PASS")).ended
  assert.strictEqual(alone(world, edit("x")), "")
  const other = { ...edit("y"), tool_input: { file_path: "b.ts", content: "y" } }
  const { stdout } = await hook(world, other, answers("FAIL\n- wrong")).ended
  assert.strictEqual(alone(world, other), stdout)
  assert.throws(() => alone(world, edit("z")), /files of this program do not belong together/)
})
