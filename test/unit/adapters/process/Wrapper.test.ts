// The wrapper alone: killed before and after each helper it uses at the end, and run by other shells.
// The one rule: a whole exit file or none, and behind an exit file always the whole log.
import { spawn } from "node:child_process"
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from "node:fs"
import { delimiter } from "node:path"
import { assert, describe, it } from "vitest"
import { flockDescriptors } from "../../../../src/adapters/process/Flock.ts"
import { wrapperArguments } from "../../../../src/adapters/process/Wrapper.ts"
import { findBinary } from "../../../../src/adapters/codex/Binary.ts"
import { eventually, exited, FAKE, marked, withBench } from "../codex/bench.ts"

const path = process.env["PATH"] ?? ""
const found = (program: string): string | null => {
  const answer = findBinary(program, "/", path)
  return "found" in answer ? answer.found : null
}

/** A helper that kills the wrapper of the journal in $KILL_RUN before or after it does its work. */
const killer = (real: string, when: "before" | "after"): string => `#!/bin/sh
end() { read -r word id pid rest <"$KILL_RUN" && kill -s KILL "$pid"; }
${when === "before" ? "end" : ""}
"${real}" "$@"
${when === "after" ? "end" : ""}
`

describe("a wrapper killed at the end", () => {
  const moments = ["tail", "cat", "sync", "mv"].flatMap((program) =>
    (["before", "after"] as const).map((when) => ({ program, when })))

  it.each(moments)("$when $program leaves a whole exit file or none", ({ program, when }) => withBench(async (bench) => {
    const attempt = bench.attempt()
    const tools = bench.path("tools")
    mkdirSync(tools)
    writeFileSync(`${tools}/${program}`, killer(found(program) ?? assert.fail(`no ${program}`), when), { mode: 0o755 })
    const env = { ...process.env, PATH: `${tools}${delimiter}${path}`, KILL_RUN: attempt.files.run }
    await bench.launch([attempt], "issues 3", {}, env)
    const sighting = await bench.ended(attempt)
    // The helper itself may outlive the wrapper by an instant, and still finish its rename before it is ended.
    const renamed = existsSync(attempt.files.exit)
    if (program !== "mv" || when === "after") assert.strictEqual(renamed, program === "mv")
    assert.strictEqual(sighting._tag, renamed ? "Exited" : "Lost")
    if (renamed) {
      assert.strictEqual(bench.read(attempt.files.exit), "0\n")
      assert.isTrue(bench.read(attempt.files.log).endsWith(bench.read(attempt.files.out)))
    }
    await eventually("nothing left", () => marked(attempt.id).length === 0)
    assert.strictEqual(existsSync(attempt.files.exit), renamed)
  }))

  it("at any time is either too late or a loss", () => withBench(async (bench) => {
    for (let slot = 1; slot <= 30; slot += 1) {
      const attempt = bench.attempt(slot)
      await bench.launch([attempt], "clean")
      const { guard } = await bench.begun(attempt)
      for (let turn = 0; turn < slot; turn += 1) await bench.lookOnce(attempt)
      try {
        process.kill(guard.pid, "SIGKILL")
      } catch {
        // It had ended.
      }
      const sighting = await bench.ended(attempt)
      if (sighting._tag === "Exited") {
        assert.strictEqual(bench.read(attempt.files.exit), "0\n")
        assert.isTrue(bench.read(attempt.files.log).endsWith(bench.read(attempt.files.out)))
      } else {
        assert.strictEqual(sighting._tag, "Lost")
        assert.isFalse(existsSync(attempt.files.exit))
      }
      assert.deepStrictEqual(marked(attempt.id), [])
    }
  }))
})

describe("the wrapper's script", () => {
  const shells = [["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"], ["ksh"], ["zsh", "--emulate", "sh"]]

  for (const [program = "", ...options] of shells) {
    const shell = found(program)
    const name = [program, ...options].join(" ")
    it.skipIf(shell === null)(`does the same under ${name}`, () => withBench(async (bench) => {
      const start = async (slot: number, scenario: string, deadline: number) => {
        const attempt = bench.attempt(slot)
        const { exit, lock, log, out, run } = attempt.files
        mkdirSync(bench.dir, { recursive: true })
        const fd = openSync(lock, "a", 0o600)
        assert.isTrue(flockDescriptors([fd], "exclusive", process.env))
        const command = ["/usr/bin/env", `FAKE_CODEX=${scenario}`, `TMPDIR=${bench.path("")}`, FAKE, "review"]
        const order = { id: attempt.id, run, log, out, exit, deadline, maxTranscript: 2 ** 30, command }
        spawn(shell ?? "", [...options, ...wrapperArguments(order)], {
          cwd: bench.work,
          detached: true,
          stdio: ["ignore", "ignore", "ignore", fd],
          env: { ...process.env, OODA_ATTEMPT: attempt.id }
        })
        closeSync(fd)
        return attempt
      }
      const clean = await start(1, "issues 1;exit 5", 60_000)
      assert.deepStrictEqual(await bench.ended(clean), exited(5))
      assert.isTrue(bench.read(clean.files.log).endsWith(bench.read(clean.files.out)))
      const late = await start(2, "children 1;stubborn;wait never", 700)
      assert.deepStrictEqual(await bench.ended(late), exited(143, "deadline"))
      await eventually("nothing left of the late one", () => marked(late.id).length === 0)
      const told = await start(3, "ignore TERM;children 1;wait never", 60_000)
      process.kill((await bench.begun(told)).guard.pid, "SIGTERM")
      assert.include([137, 143], await bench.ended(told).then((ended) => ended._tag === "Exited" ? ended.status : null))
      await eventually("nothing left of the stopped one", () => marked(told.id).length === 0)
      const killed = await start(4, "wait never", 60_000)
      const { guard } = await bench.begun(killed)
      process.kill(guard.pid, "SIGKILL")
      assert.deepStrictEqual(await bench.ended(killed), { _tag: "Lost" })
      assert.isEmpty(readdirSync(bench.dir).filter((file) => file.endsWith(".new")))
    }))
  }
})
