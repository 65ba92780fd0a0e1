// --isolate with the real Codex CLI: the model sees what was there when the batch started, whatever is done meanwhile.
// The reviewer finds a defect that is gone from the worktree by then, and the finding names the worktree's file.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { reviewer } from "../../fixtures/stand-in-model/reviewer.mjs"
import { eventually, gate } from "./processes.ts"
import { only, recorded } from "./recorded.ts"
import { type Bench, withBench } from "./support.ts"

const FLAWED = "export const f = (xs) => {\n  for (let i = 0; i <= xs.length; i += 1) g(xs[i])\n}\n"
const FIXED = FLAWED.replace("<=", "<")
const HOW = ["--level", "low", "--ceiling", "low", "-n", "1", "--strict", "--isolate"]

interface Case {
  readonly name: string
  readonly key: string
  /** Makes the change to review, and says how it is named. */
  readonly given: (bench: Bench) => ReadonlyArray<string>
  /** What a person does while the model thinks. */
  readonly meanwhile: (bench: Bench) => void
}

const onBranch = ({ git, write }: Bench): void => {
  git("checkout", "--quiet", "-b", "feature")
  write("two.mjs", FLAWED)
  git("add", ".")
  git("commit", "--quiet", "--message", "Add two")
}

const fix = ({ git, write }: Bench): void => {
  write("two.mjs", FIXED)
  git("commit", "--quiet", "--all", "--message", "Fix two")
}

const cases: ReadonlyArray<Case> = [
  {
    name: "uncommitted",
    key: "uncommitted",
    given: ({ write }) => (write("two.mjs", FLAWED), ["--uncommitted"]),
    meanwhile: ({ git, write }) => {
      git("add", ".")
      git("stash", "--quiet")
      write("two.mjs", FIXED)
    }
  },
  {
    name: "base",
    key: "base/main",
    given: (bench) => (onBranch(bench), ["--base", "main"]),
    meanwhile: (bench) => {
      fix(bench)
      bench.git("branch", "--force", "main", "feature")
    }
  },
  {
    name: "commit",
    key: "commit",
    given: (bench) => (onBranch(bench), ["--commit", bench.git("rev-parse", "HEAD")]),
    meanwhile: ({ git }) => git("checkout", "--quiet", "main")
  },
  {
    name: "pr",
    key: "pr/7",
    given: (bench) => (onBranch(bench), ["--pr", "7"]),
    meanwhile: fix
  }
]

/** A gh that names `main` as every pull request's base. */
const path = (directory: string): string => {
  const bin = join(directory, "bin")
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, "gh"), "#!/bin/sh\necho main\n", { mode: 0o700 })
  return `${bin}:${process.env["PATH"] ?? ""}`
}

describe("the real codex in a private repository", () => {
  for (const { given, key, meanwhile, name } of cases) {
    it(`sees the snapshot of ${name}, and its findings are about the worktree`, () => {
      const held = gate(reviewer)
      return withBench(() => held.policy, async (bench) => {
        const target = given(bench)
        const env = { PATH: path(dirname(bench.repo)) }
        const step = bench.stepAs({ env }, ...target, ...HOW)
        await eventually("a request to the model", () => bench.requests.length === 1)
        meanwhile(bench)
        held.open()
        const { exit, stderr } = await step
        assert.strictEqual(exit, 5, stderr)
        const [started] = only(
          recorded(bench.stateRoot, key === "commit" ? `commit/${target[1]}` : key),
          "BatchStarted"
        )
        assert.match(started?.isolated ?? "", /\/isolated\/[0-9a-f]{16}$/)
        const found = await bench.command("findings", ...target, "--json")
        const { findings } = JSON.parse(found.stdout)
        assert.lengthOf(findings, 1)
        assert.deepInclude(findings[0], { path: "two.mjs", lines: { start: 2, end: 2 } })
        assert.include((await bench.command("findings", ...target, "--sarif")).stdout, '"uri":"two.mjs"')
      })
    })
  }
})
