// How a subcommand is carried out: help, misuse, what it does, and how it fails.
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { carryOut, type Command } from "../../../src/commands/Command.ts"
import { exited, exits, type Failure } from "../../../src/commands/Exits.ts"
import { BadEnvironment } from "../../../src/step/PollInterval.ts"
import { rootOptions } from "../../../src/commands/words.ts"
import { GitFailed } from "../../../src/services/Git.ts"
import { TrustStateRoot } from "../../../src/services/RunStore.ts"

const called = { cwd: Effect.succeed("/here"), version: "1" }

/** A command that takes no option and ends as told. */
const ending = (run: Command<string | null, Failure, never>["run"]): Command<string | null, Failure, never> => ({
  spec: { name: "look", about: ["Looks."], operand: "RUN", options: [] },
  read: ({ operand }) => operand === "bad" ? Result.fail("not so") : Result.succeed(operand),
  run
})
const fine = ending(() => Effect.succeed(exited(exits.done)))

const out = (command: Command<string | null, Failure, never>, argv: ReadonlyArray<string>) =>
  Effect.runPromise(carryOut(command, argv, called))

describe("a subcommand", () => {
  it("prints its help and runs nothing", async () => {
    const { code, stderr, stdout } = await out(ending(() => Effect.die("ran")), ["--help"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(
      stdout,
      /^Usage: ooda-codex-review look \[RUN\] \[OPTION \.\.\.\]\n[^]*Print this text and exit 0\.\n$/
    )
  })

  it.each([["--no", "unknown option --no of look"], ["bad", "not so"]])(
    "is misused: %s",
    async (word, message) => {
      const { code, stderr, stdout } = await out(ending(() => Effect.die("ran")), [word])
      assert.deepStrictEqual([code, stdout], [64, ""])
      assert.isTrue(stderr.startsWith(`UsageError: ${message}\nUsage: ooda-codex-review look `), stderr)
    }
  )

  it("trusts the state root only where its words say so", async () => {
    const look: Command<boolean, Failure, never> = {
      spec: { name: "look", about: [], operand: null, options: rootOptions },
      read: () => Result.succeed(true),
      run: () => Effect.map(TrustStateRoot, (trust) => ({ stdout: String(trust), stderr: "", code: 0 }))
    }
    const said = async (...argv: ReadonlyArray<string>) =>
      (await Effect.runPromise(carryOut(look, argv, called))).stdout
    assert.deepStrictEqual([await said(), await said("--trust-state-root")], ["false", "true"])
  })

  it("is given what its words ask for, and where it was called", async () => {
    const seen: Array<unknown> = []
    await out(
      ending((asked, { cwd, version }) =>
        Effect.map(cwd, (directory) => {
          seen.push(asked, directory, version)
          return exited(exits.done)
        })
      ),
      ["run"]
    )
    assert.deepStrictEqual(seen, ["run", "/here", "1"])
  })

  it("ends as it says", async () => assert.deepStrictEqual(await out(fine, []), { stdout: "", stderr: "", code: 0 }))

  it("says in one line why it could not", async () => {
    const reason = { _tag: "ProgramFailed", program: "git", status: 128, said: "fatal: a\nb" } as const
    const failing = ending(() => Effect.fail(new GitFailed({ what: "finding the repository", reason })))
    assert.deepStrictEqual(await out(failing, []), {
      stdout: "",
      stderr: "ooda-codex-review: git: finding the repository: fatal: a\\nb\n",
      code: 6
    })
  })

  it("could not where its directory is gone", async () => {
    const gone = new BadEnvironment({ reason: { _tag: "NoDirectory" } })
    const asking = ending((_, { cwd }) => Effect.as(cwd, exited(exits.done)))
    const ended = await Effect.runPromise(carryOut(asking, [], { ...called, cwd: Effect.fail(gone) }))
    assert.deepStrictEqual([ended.code, ended.stderr], [6, `ooda-codex-review: ${gone.message}\n`])
  })
})
