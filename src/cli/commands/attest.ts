// attest: the subcommand `attest`: writes an attestation of one run at its fixed point.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { path } from "../values.ts"
import { attest, statementText } from "../../read/attest/Attest.ts"
import { select, type Selector } from "../../step/Selection.ts"
import { OutFiles } from "../../read/UserFiles.ts"
import { Output } from "../../platform/Process.ts"
import { type Called, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { optional, storeFlags, valued } from "../options.ts"
import { runFlags, selectorOf } from "../selector.ts"

/** One run, and the file that its attestation is written to; null is standard output. */
export interface Asked {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly out: string | null
}

const flags = {
  out: optional(valued("out", "FILE", path, "Write to FILE, whole or not at all. Default: standard output.")),
  ...runFlags,
  ...storeFlags
}

type Given = Command.Command.Config.Infer<typeof flags>

/** What is asked for, or what is wrong with the arguments together. */
export const read = (given: Given): Result.Result<Asked, string> =>
  Result.map(selectorOf(given), (selector) => ({ stateRoot: given.stateRoot, selector, out: given.out }))

/** Writes the attestation once all of it is known to hold. */
export const run = Effect.fn("attest.run")(function*({ out, selector, stateRoot }: Asked, { cwd }: Called) {
  const directory = yield* cwd
  const found = yield* select(selector, { stateRoot, cwd: directory })
  const text = statementText(yield* attest(found))
  yield* out === null ? (yield* Output).write(text) : (yield* OutFiles).write(directory, out, text)
  return exited(exits.done)
})

/** The subcommand. */
export const command = Command.make("attest", flags).pipe(subcommand({
  read,
  run,
  meant: ({ selector }) => Effect.succeed(selector),
  about: [
    "writes an in-toto attestation of a run: what its fixed point has proven, for others.",
    "",
    "It names the reviewed tree and commit, the tests on that tree, the line of the log, and for each level its batch,",
    "reviewers, models, verdicts and what did not block. It is written only if the audit of the run is sound and the",
    "worktree still holds the reviewed code; the same log gives the same bytes. It is not signed: any tool that signs",
    "files can do that. RUN is a run's id or the beginning of it; without one it is the newest run of this worktree.",
    "audit --attestation FILE checks one. Exits 0 written, 1 refused, 6 when it could not look, 64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review attest --out review.json", description: "Attest the newest run here." },
    { command: "ooda-codex-review attest --base main > review.json", description: "The run against a branch." }
  ]
}))
