// attest: its arguments, and where the attestation goes.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as attest from "../../../../src/cli/commands/attest.ts"
import { perform } from "../../../../src/cli/command.ts"
import { make } from "../../../../src/run/Invocation.ts"
import { OutFiles } from "../../../../src/read/UserFiles.ts"
import { Output } from "../../../../src/platform/Process.ts"
import { step } from "../../../../src/step/Step.ts"
import { gitLayer } from "../../../../src/testing/memory/Code.ts"
import { onMachine } from "../../run/opened.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(attest)
const plain = { stateRoot: null, selector: { _tag: "Newest" }, out: null } as const

describe("the arguments of attest", () => {
  it("by default name the newest run and standard output", async () => assert.deepStrictEqual(await asked(""), plain))

  it("can name a run and a file", async () =>
    assert.deepStrictEqual(await asked("2026 --out a.json"), {
      ...plain,
      selector: { _tag: "Named", prefix: "2026" },
      out: "a.json"
    }))

  const problems: ReadonlyArray<readonly [string, RegExp]> = [
    ["a --run b", /^RUN and --run exclude each other$/],
    ["--json", /^unknown flag --json/]
  ]
  it.each(problems)("%s is misuse", async (line, message) => assert.match(await problem(line), message))
})

describe("an attestation", () => {
  const tree = "7".repeat(40)
  const git = gitLayer({ identity: () => Effect.succeed({ _tag: "Known", head: null, tree, base: null, nested: "" }) })
  const made = (change: Partial<attest.Request>, ceiling: "low" | "medium" = "low") =>
    onMachine(
      Effect.gen(function*() {
        yield* step(make({ target: { _tag: "Uncommitted" }, batchSize: 1, ceiling }), "/repo", {})
        const [stdout, files] = [yield* Ref.make(""), yield* Ref.make<ReadonlyArray<ReadonlyArray<string>>>([])]
        const ending = yield* perform(
          attest.run({ ...plain, ...change }, { cwd: Effect.succeed("/repo"), version: "0" })
        )
          .pipe(
            Effect.provideService(Output, { write: (text) => Ref.update(stdout, (before) => before + text) }),
            Effect.provideService(OutFiles, { write: (...file) => Ref.update(files, (all) => [...all, file]) })
          )
        return { ending, stdout: yield* Ref.get(stdout), files: yield* Ref.get(files) }
      }),
      { git }
    )

  it("goes to standard output, or to the file of --out", async () => {
    const { ending, files, stdout } = await made({})
    assert.deepEqual([ending, files], [{ stdout: "", stderr: "", code: 0 }, []])
    assert.strictEqual(JSON.parse(stdout)._type, "https://in-toto.io/Statement/v1")
    const named = await made({ out: "a.json" })
    assert.strictEqual(named.stdout, "")
    assert.deepEqual(named.files.map(([cwd, name]) => [cwd, name]), [["/repo", "a.json"]])
  })

  it("is not written for a run without a fixed point: exit 1, and one line says why", async () => {
    const { ending, files, stdout } = await made({ out: "a.json" }, "medium")
    assert.deepEqual([ending.code, stdout, files], [1, "", []])
    assert.match(
      ending.stderr,
      /^error: run \S+ is not attested: it has not reached a fixed point \[.*\]\n$/
    )
  })
})
