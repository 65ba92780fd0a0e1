// loaded: which chunks of the built program a mark compiles, and which an event of Claude Code does.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert, it } from "vitest"

const dir = mkdtempSync(join(tmpdir(), "ooda-loaded-"))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const seen = join(dir, "seen")
const spy = join(dir, "spy.cjs")
writeFileSync(
  spy,
  `const vm = require("node:vm"), { Script } = vm, names = []
vm.Script = class extends Script { constructor(code, options) { super(code, options); names.push(options.filename) } }
process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(seen)}, names.join("\\n")))`
)

/** The names of the chunks that a call in an empty repository compiles. */
const loaded = (args: ReadonlyArray<string>, input = "") => {
  const program = resolve("dist/ooda-codex-review.cjs")
  const all = ["-r", spy, program, ...args, "--state-root", join(dir, "state")]
  const env = { PATH: process.env["PATH"] }
  try {
    execFileSync(process.execPath, all, { cwd: dir, input, env, stdio: ["pipe", "ignore", "ignore"] })
  } catch {
    // A mark ends with another status than 0.
  }
  return readFileSync(seen, "utf8").split("\n")
}

it("what marks alone need is a chunk that an edit does not load, and what both need is another one", () => {
  execFileSync("git", ["init", "--quiet", dir])
  const tool = { tool_name: "Edit", tool_input: { file_path: join(dir, "a"), new_string: "b" }, tool_response: {} }
  const event = { session_id: "s", cwd: dir, transcript_path: "", hook_event_name: "PostToolUse", ...tool }
  const edit = loaded(["hook", "--codex-bin", "./none"], JSON.stringify(event))
  assert.includeMembers(loaded(["--uncommitted", "--restart-from-floor"]), ["./together.js", "./marks.js"])
  assert.includeMembers(edit, ["./together.js", "./SecondModel.live.js"])
  assert.notInclude(edit, "./marks.js")
})
