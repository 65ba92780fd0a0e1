// The arguments of `report`, and where its page goes.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as report from "../../../../src/cli/commands/report.ts"
import { perform } from "../../../../src/cli/command.ts"
import { OutFileFailed, OutFiles } from "../../../../src/read/UserFiles.ts"
import { Output } from "../../../../src/platform/Process.ts"
import { onMachine } from "../../run/opened.ts"
import { make } from "../../../../src/run/Invocation.ts"
import { BranchName } from "../../../../src/run/Target.ts"
import { step } from "../../../../src/step/Step.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(report)
const plain = { stateRoot: null, selector: { _tag: "Newest" }, out: null } as const

describe("report", () => {
  it("is of the newest run, on standard output", async () => assert.deepStrictEqual(await asked(""), plain))

  it("takes a run and a file", async () => {
    const named = { ...plain, selector: { _tag: "Named", prefix: "2026" } } as const
    assert.deepStrictEqual(await asked("2026 --out r.html"), { ...named, out: "r.html" })
    assert.deepStrictEqual(await asked("--run 2026"), named)
    assert.deepStrictEqual(await asked("--base main"), {
      ...plain,
      selector: { _tag: "Latest", target: { _tag: "Base", branch: BranchName.make("main") } }
    })
  })

  const problems: ReadonlyArray<readonly [string | ReadonlyArray<string>, RegExp]> = [
    [["--out", ""], /^--out "": /],
    ["--json", /^unknown flag --json/]
  ]
  it.each(problems)("%s is misuse", async (line, message) => assert.match(await problem(line), message))
})

describe("a page", () => {
  const called = { cwd: Effect.succeed("/repo"), version: "0" }

  const made = (change: Partial<report.Request>, refused: OutFileFailed | null = null) =>
    onMachine(Effect.gen(function*() {
      yield* step(make({ target: { _tag: "Uncommitted" }, batchSize: 1 }), "/repo", {})
      const [stdout, files] = [
        yield* Ref.make(""),
        yield* Ref.make<ReadonlyArray<readonly [string, string, string]>>([])
      ]
      const ending = yield* perform(report.run({ ...plain, ...change }, called)).pipe(
        Effect.provideService(Output, { write: (text) => Ref.update(stdout, (before) => before + text) }),
        Effect.provideService(OutFiles, {
          write: (...file) => refused === null ? Ref.update(files, (all) => [...all, file]) : Effect.fail(refused)
        })
      )
      return { ending, stdout: yield* Ref.get(stdout), files: yield* Ref.get(files) }
    }))

  it("goes to standard output", async () => {
    const { ending, files, stdout } = await made({})
    assert.deepStrictEqual([ending.code, ending.stderr, files], [0, "", []])
    assert.match(stdout, /^<!doctype html>\n.*<\/html>\n$/s)
  })

  it("goes to a file, and nothing to standard output", async () => {
    const { ending, files: [file], stdout } = await made({ out: "r.html" })
    assert.deepStrictEqual([ending.code, stdout, file?.slice(0, 2)], [0, "", ["/repo", "r.html"]])
    assert.match(file?.[2] ?? "", /^<!doctype html>/)
  })

  it("is not written for an unknown run, nor to an invalid place", async () => {
    const unknown = await made({ selector: { _tag: "Named", prefix: "1999" }, out: "r.html" })
    assert.deepStrictEqual([unknown.ending.code, unknown.files, unknown.stdout], [6, [], ""])
    assert.match(unknown.ending.stderr, /^error: no run begins with 1999 [^\n]*\[[^\n]*\]\n$/)
    const failed = new OutFileFailed({ path: "/repo/r.html", reason: { _tag: "IsDirectory" } })
    const refused = await made({ out: "r.html" }, failed)
    assert.deepStrictEqual([refused.ending.code, refused.ending.stderr], [
      6,
      "error: /repo/r.html: it is a directory [name a file in it]\n"
    ])
  })
})
