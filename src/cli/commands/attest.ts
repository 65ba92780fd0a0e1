// attest: the subcommand `attest`: writes an attestation of one run at its fixed point.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { attest, statementText } from "../../read/attest/Attest.ts"
import { subcommand } from "../command.ts"
import { flags, read, writeDocument } from "../outFile.ts"

export { type Request, read } from "../outFile.ts"

export const run = writeDocument("attest", (run) => Effect.map(attest(run), statementText))

export const command = Command.make("attest", flags).pipe(subcommand({
  read,
  run,
  scope: ({ selector }) => Effect.succeed(selector),
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
    { command: "ooda-codex-review attest --out ../review.json", description: "Attest the newest run here." },
    { command: "ooda-codex-review attest --base main > ../review.json", description: "The run against a branch." }
  ]
}))
