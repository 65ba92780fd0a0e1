// A copy of frozen code with the real Codex CLI: it obeys the trusted instructions, and git shows the change's own.
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { reviewer } from "../../fixtures/stand-in-model/reviewer.mjs"
import { copyChanges, makeCopy } from "../../src/code/Copy.live.ts"
import { freeze } from "../../src/code/Freeze.live.ts"
import { repositoryAt } from "../../src/code/Repository.live.ts"
import { ownVariables } from "../../src/run/Target.ts"
import { openStore } from "../../src/code/Store.live.ts"
import { Environment } from "../../src/platform/Environment.ts"
import { type Bench, withBench } from "./support.ts"

const words = ["TRUSTED-TEXT", "TRUSTED-SKILL", "CHANGED-TEXT", "OVERRIDE-TEXT", "NEW-SKILL"]
const skill = (text: string) => `---\nname: ${text.toLowerCase()}\ndescription: ${text}\n---\n${text}\n`

const given = ({ git, repo, write }: Bench): void => {
  for (const name of ["old", "x"]) mkdirSync(join(repo, `.agents/skills/${name}`), { recursive: true })
  write("AGENTS.md", "TRUSTED-TEXT\n")
  write(".agents/skills/old/SKILL.md", skill("TRUSTED-SKILL"))
  git("add", ".")
  git("commit", "--quiet", "--message", "Instructions")
  git("checkout", "--quiet", "-b", "change")
  write("AGENTS.md", "CHANGED-TEXT\n")
  write("AGENTS.override.md", "OVERRIDE-TEXT\n")
  write(".agents/skills/x/SKILL.md", skill("NEW-SKILL"))
  git("add", ".")
  git("commit", "--quiet", "--message", "Change them")
}

/** A copy of the worktree as it is now, which trusts `main`, and a look at what changed in it. */
const copied = ({ git, repo }: Bench) =>
  Effect.gen(function*() {
    const store = yield* openStore(join(dirname(repo), "store"), yield* repositoryAt(repo))
    const frozen = yield* freeze(store)
    const commit = git("rev-parse", "main")
    const copy = yield* makeCopy(store, frozen, join(dirname(repo), "copy"), {
      base: { name: "main", commit },
      trusted: git("rev-parse", "main^{tree}"),
      link: []
    })
    return { place: copy.place, changes: copyChanges(store, copy) }
  })

describe("the real codex in a copy of frozen code", () => {
  it("gets the trusted instructions, and its git shows their change", () =>
    withBench(() => reviewer, async (bench) => {
      given(bench)
      const run = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.runPromise(Effect.provideService(effect, Environment, { ...process.env }))
      const { changes, place } = await run(copied(bench))
      const { exit, stderr } = await bench.codexIn(place, ownVariables, "--base", "main")
      assert.strictEqual(exit, 0, stderr)
      const [first] = bench.reviews()
      const request = JSON.stringify(first?.body)
      assert.deepStrictEqual(words.filter((word) => request.includes(word)), words.slice(0, 2))
      const env = { ...process.env, ...ownVariables }
      const diff = execFileSync("git", ["diff", "main"], { cwd: place, env, encoding: "utf8" })
      for (const line of ["-TRUSTED-TEXT", ...words.slice(2).map((word) => `+${word}`)]) {
        assert.include(diff, `\n${line}\n`)
      }
      assert.deepStrictEqual(await run(changes), [])
    }))
})
