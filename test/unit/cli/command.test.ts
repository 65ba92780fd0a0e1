// command: how a subcommand is carried out: help, misuse, what it does, how it fails, and in which store it looks.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Redacted, Result } from "effect"
import { Command } from "effect/cli"
import { assert, describe, it } from "vitest"
import { type CallContext, carryOut, storeProblem, subcommand, withStore } from "../../../src/cli/command.ts"
import { type Ending, exited } from "../../../src/cli/ending.ts"
import { exits, type Failure } from "../../../src/platform/Failure.ts"
import { flagsFor, operand, optionalOperand, rootFlags } from "../../../src/cli/options.ts"
import { GitFailed } from "../../../src/code/Git.ts"
import { RunStore, TrustStateRoot } from "../../../src/run/RunStore.ts"
import { BadEnvironment, Environment } from "../../../src/platform/Environment.ts"
import { batchPlaces, runPlaces } from "../../../src/run/Layout.live.ts"
import { targetDirectory } from "../../../src/log/LogFile.live.ts"
import { Fleets } from "../../../src/cli/fleets.ts"
import * as Memory from "../../../src/testing/Memory.ts"

const called: CallContext = { cwd: Effect.succeed("/here"), version: "1" }
type Run = (asked: string | null, called: CallContext) => Effect.Effect<Ending, Failure>

const flags = {
  run: optionalOperand(operand("RUN", (text) => Result.succeed(text), "Which.")),
  ...flagsFor({ github: { flag: "--github", kind: "switch", text: "How." } }),
  ...rootFlags
}

/** A command that ends with a given result. */
const ending = (run: Run) =>
  Command.make("audit", flags).pipe(subcommand({
    about: ["looks.", "Closely."],
    examples: [{ command: "ooda-codex-review audit 2026", description: "Look at one." }],
    read: ({ run }) => run === "bad" ? Result.fail("not so") : Result.succeed(run),
    run
  }))
const unused = ending(() => Effect.die("ran"))

const out = (command: ReturnType<typeof ending>, argv: ReadonlyArray<string>, where = called) =>
  Effect.runPromise(Effect.provide(carryOut(command, argv, where), NodeServices.layer))

describe("a subcommand", () => {
  it.each([["--help"], ["-h"], ["bad", "--nonsense", "-h"], ["--state-root", "--help"]])(
    "prints its help and runs nothing: %j",
    async (...argv) => {
      const { code, stderr, stdout } = await out(unused, argv)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.match(
        stdout,
        /^ooda-codex-review audit looks\.\nClosely\.\n\nUSAGE\n  ooda-codex-review audit \[flags\] \[<RUN>\]\n/
      )
      assert.match(stdout, /\nEXAMPLES\n  # Look at one\.\n  ooda-codex-review audit 2026\n$/)
    }
  )

  const misuses: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["--no"], "unknown flag --no"],
    [["bad"], "not so"],
    [["--", "--help", "x\ny"], 'unexpected argument "x\\ny"'],
    // One of these letters asks for help.
    [["-github"], "unknown flag -github\ndid you mean --github?"],
    [["a", "b"], 'unexpected argument "b"']
  ]
  it.each(misuses)("is misused: %j", async (argv, message) => {
    const { code, stderr, stdout } = await out(unused, argv)
    assert.deepStrictEqual([code, stdout], [64, ""])
    assert.strictEqual(stderr, `error: ${message}\nsee 'ooda-codex-review audit --help'\n`)
  })

  it("is misused in one line of bounded length", async () => {
    for (const argv of [[`--${"z".repeat(5000)}`], ["a", "b".repeat(5000)], [`--github=${"y\n".repeat(5000)}`]]) {
      assert.isBelow((await out(unused, argv)).stderr.indexOf("\nsee 'ooda-codex-review audit"), 250)
    }
  })

  it("trusts the state root only where its arguments say so", async () => {
    const look = ending(() => Effect.map(TrustStateRoot, (trust) => ({ stdout: String(trust), stderr: "", code: 0 })))
    const said = async (...argv: ReadonlyArray<string>) => (await out(look, argv)).stdout
    assert.deepStrictEqual([await said(), await said("--trust-state-root")], ["false", "true"])
  })

  it("is given what its arguments ask for, and where it was called", async () => {
    const seen: Array<unknown> = []
    const looking = ending((asked, { cwd, version }) =>
      Effect.map(cwd, (directory) => {
        seen.push(asked, directory, version)
        return exited(exits.wrong)
      })
    )
    assert.deepStrictEqual(await out(looking, ["run"]), { stdout: "", stderr: "", code: 1 })
    assert.deepStrictEqual(seen, ["run", "/here", "1"])
  })

  it("says in one line why it could not", async () => {
    const reason = { _tag: "ProgramFailed", program: "git", status: 128, said: "fatal: a\nb" } as const
    const failing = ending(() => Effect.fail(new GitFailed({ what: "finding the repository", reason })))
    assert.deepStrictEqual(await out(failing, []), {
      stdout: "",
      stderr: "error: git: finding the repository: fatal: a\\nb\n",
      code: 6
    })
  })

  it("says in plain words that there is no repository, and what to do", async () => {
    const said = "fatal: not a git repository (or any of the parent directories): .git " +
      "[call this program inside the repository to review]"
    const reason = { _tag: "ProgramFailed", program: "git", status: 128, said } as const
    const failing = ending(() => Effect.fail(new GitFailed({ what: "finding the repository", reason })))
    assert.strictEqual(
      (await out(failing, [])).stderr,
      "error: this directory is not in a git repository [call this program inside the repository to review]\n"
    )
  })

  it("could not where its directory is gone", async () => {
    const gone = new BadEnvironment({ reason: { _tag: "NoDirectory" } })
    const asking = ending((_, { cwd }) => Effect.as(cwd, exited(exits.done)))
    const ended = await out(asking, [], { ...called, cwd: Effect.fail(gone) })
    assert.deepStrictEqual([ended.code, ended.stderr], [6, `error: ${gone.message}\n`])
  })
})

const named = (place: string) =>
  Layer.mock(RunStore)({
    batchPlaces,
    runPlaces,
    targetPlace: targetDirectory,
    open: () => Effect.succeed(place)
  })

/** Which store is opened by what is given. */
const opened = (given: object, env: Record<string, string> = {}) =>
  withStore(
    RunStore.use((store) => store.open(null, "/")),
    given,
    Effect.succeed({ _tag: "Named", prefix: "2030" }),
    Effect.succeed("/here")
  ).pipe(
    Effect.provideService(Environment, env),
    Effect.provideService(Fleets, {
      store: () => Layer.effectContext(Effect.die("it is only seen")),
      at: () => Layer.effectContext(Effect.die("it is only seen")),
      seen: (url, meant, cwd) =>
        Layer.mergeAll(
          Memory.layer(),
          named(`${Redacted.value(url)} ${"prefix" in meant ? meant.prefix : ""} ${cwd}`)
        ) as ReturnType<(typeof Fleets.Service)["seen"]>,
      work: () => Effect.die("no work expected")
    }),
    Effect.provide(named("this machine's")),
    Effect.runPromise
  )

const [url, other] = ["postgres://h/x", "postgres://h/y"]

describe("a subcommand looks", () => {
  it("into the store of this machine where no other is named", async () => {
    assert.strictEqual(await opened({ store: null, stateRoot: null }), "this machine's")
    assert.strictEqual(await opened({ store: null, stateRoot: "/state" }, { OODA_STORE: url }), "this machine's")
  })

  it("into the one that a flag names, else the environment, for the run that is meant", async () => {
    assert.strictEqual(await opened({ store: url, stateRoot: null }, { OODA_STORE: other }), `${url} 2030 /here`)
    assert.strictEqual(await opened({ store: null, stateRoot: null }, { OODA_STORE: other }), `${other} 2030 /here`)
  })
})

it("two stores are one too many", () => {
  assert.strictEqual(storeProblem({ store: url, stateRoot: "/x" }), "--store and --state-root exclude each other")
  for (const given of [{}, { store: url }, { store: url, stateRoot: null }, { store: null, stateRoot: "/x" }]) {
    assert.isNull(storeProblem(given))
  }
})
