// Agents on a full disk, before they start and while they work: every reader gets an end, and no process is left.
// The disk is a real file system with a limit; without root this says SKIPPED.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { makeAgent } from "../../src/agent/Agent.live.ts"
import { agentFiles } from "../../src/run/Layout.live.ts"
import type { AgentRef } from "../../src/log/Refs.ts"
import { type AgentBench, endOf, say, tagsOf, withAgents } from "../support/agentBench.ts"
import { eventually, fault } from "../unit/platform/guard/guarded.ts"
import { works } from "./skipped.ts"

const mounts = process.getuid?.() === 0
  ? works("agents on a full disk", "sh", ["-c", "d=$(mktemp -d) && mount -t tmpfs none $d && umount $d && rmdir $d"])
  : works("agents on a full disk (needs root)", "false", [])

/** A bench whose state root is a file system of 512 KiB. */
const withSmallDisk = (use: (bench: AgentBench) => Promise<void>) =>
  withAgents(async (bench) => {
    mkdirSync(bench.root, { recursive: true })
    assert.strictEqual(spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k,mode=700", "none", bench.root]).status, 0)
    try {
      await use(bench)
    } finally {
      spawnSync("umount", ["-l", bench.root])
    }
  })

const wordsOf = (attempt: AgentRef): string => {
  const { out } = agentFiles(attempt)
  return existsSync(out) ? readFileSync(out, "utf8") : ""
}

const fill = (file: string): void => {
  spawnSync("sh", ["-c", `cat /dev/zero >'${file}'`], { stdio: "ignore" })
}

describe.skipIf(!mounts)("an agent on a disk that is full", () => {
  it("before it starts is refused in one line, and never begins; it begins when there is space", () =>
    withSmallDisk(async (bench) => {
      const attempt = bench.ref()
      const filler = join(bench.root, "filler")
      fill(filler)
      const message = await fault(bench.start(makeAgent(bench.script(say.message("Done."))), attempt))
      assert.match(message, /^starting agent 1, attempt 1: [^\n]*(?:ENOSPC|disk is full)[^\n]*$/)
      rmSync(filler)
      assert.deepStrictEqual(tagsOf(await bench.follow(attempt)), ["NeverBegan"])
      const next = await bench.run(say.message("Done."), bench.ref(2))
      assert.strictEqual((await bench.ended(next)).ending._tag, "Done")
    }))

  it("while it works ends with what it had said, for every reader once there is space again", () =>
    withSmallDisk(async (bench) => {
      const more = say.reconnecting.replace("; ", " || exit 3; ")
      const attempt = await bench.run(
        `${say.begun}${say.message("So far.")}while [ ! -e '${bench.path("go")}' ]; do sleep 0.05; done; ` +
          `i=0; while [ $i -lt 20000 ]; do i=$((i+1)); ${more} done; ${say.done}`
      )
      await eventually("its words", () => wordsOf(attempt).includes("So far."))
      const following = bench.follow(attempt).then((updates) => endOf(updates).ending._tag, String)
      fill(join(bench.root, "filler"))
      writeFileSync(bench.path("go"), "")
      // A follower may need space too, and gets an error without it.
      assert.match(await following, /^Crashed$|ENOSPC|disk is full/)
      rmSync(join(bench.root, "filler"))
      const ended = await bench.ended(attempt)
      assert.deepStrictEqual([ended.ending._tag, ended.message, ended.threadId], ["Crashed", "So far.", "t-1"])
      assert.deepStrictEqual(await bench.ended(attempt), ended)
      await eventually("nothing of it", () => bench.living(attempt).length === 0)
    }))

  it("after it has answered keeps its answer", () =>
    withSmallDisk(async (bench) => {
      const attempt = await bench.run(
        `${say.begun}${say.message("Done.")}${say.done}while [ ! -e '${bench.path("go")}' ]; do sleep 0.05; done`
      )
      await eventually("its answer", () => wordsOf(attempt).includes("turn.completed"))
      fill(join(bench.root, "filler"))
      writeFileSync(bench.path("go"), "")
      await eventually("its end", () => bench.living(attempt).length === 0)
      rmSync(join(bench.root, "filler"))
      assert.deepStrictEqual((await bench.ended(attempt)).ending, { _tag: "Done", message: "Done." })
    }))
})
