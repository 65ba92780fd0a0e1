// Doctor: everything that reviews need on this machine, checked once, each with what to do about it.
// It changes nothing, asks no model, and ends within its limits even if something hangs.
import { Effect } from "effect"
import type { Check } from "./Check.ts"
import {
  checkClaude,
  checkCodex,
  checkGh,
  checkGit,
  checkLock,
  checkNode,
  checkRepository,
  checkSessions,
  checkAsides,
  checkStateRoot,
  checkSubmodules,
  checkVariables,
  type StorageFacts
} from "./Checks.ts"
import { Git } from "../../code/Git.ts"
import { Snapshots } from "../../code/Snapshots.ts"
import { Reviewers } from "../../review/Reviewers.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { loginCheck } from "./Login.ts"
import { plainText } from "../../platform/Failure.ts"
import { Machine } from "./Machine.ts"
import { RunStore, type StoreFailed } from "../../run/RunStore.ts"

/** The context of the doctor. */
export interface Examined {
  readonly cwd: string
  readonly codexBin: string
  /** The configured state root, or null for the default one. */
  readonly stateRoot: string | null
}

// Milliseconds. Codex answers in half a second on a quiet machine; a login that hangs must not hang the doctor.
const limit = 10_000

const codex = Effect.fnUntraced(function*({ codexBin, cwd }: Examined) {
  const { ask, codexHome } = yield* Machine
  const located = yield* (yield* Reviewers).locate(codexBin, cwd).pipe(
    Effect.match({ onFailure: (missing) => ({ problem: missing.message }), onSuccess: (path) => ({ path }) })
  )
  const home = yield* codexHome
  const sessions = checkSessions(home)
  if ("problem" in located) return [checkCodex(located, null), yield* loginCheck(null), sessions]
  const asked = (...args: ReadonlyArray<string>) => ask(located.path, args, { cwd, limit })
  const [version, review, status] = yield* Effect.all(
    [asked("--version"), asked("review", "--help"), asked("login", "status")],
    { concurrency: "unbounded" }
  )
  return [checkCodex(located, { version, review }), yield* loginCheck(status), sessions]
})

const safetyProblem = ({ message, reason }: StoreFailed): StorageFacts["safetyProblem"] => ({
  kind: reason._tag === "OpenToOthers" ? "OpenToOthers" : "Untrusted",
  text: message
})

const stateRoot = Effect.fnUntraced(function*({ cwd, stateRoot }: Examined) {
  const { platform, storage } = yield* Machine
  const store = yield* RunStore
  // Everything that the state root contains is checked, not only the root itself.
  const found = (making: boolean) =>
    store.roots(stateRoot, cwd, making).pipe(
      Effect.tap((roots) => Effect.forEach(roots, (root) => store.list(root, null))),
      Effect.map(([first = ""]) => first),
      Effect.match({
        onFailure: (failed) => ({ path: failed.path, safetyProblem: safetyProblem(failed) }),
        onSuccess: (path) => ({ path, safetyProblem: null })
      }),
      Effect.flatMap(({ path, safetyProblem }) => Effect.map(storage(path), (facts) => ({ ...facts, safetyProblem })))
    )
  const present = yield* found(false)
  // Where nothing is yet, what matters is the place that `converge` makes.
  const facts = present.exists || present.safetyProblem !== null ? present : yield* found(true)
  const runs = facts.safetyProblem === null ? yield* Effect.orElseSucceed(store.list(facts.root, null), () => []) : []
  const { aside } = yield* Snapshots
  const asides = yield* Effect.forEach(runs, (run) => Effect.orElseSucceed(aside(run), () => null))
  return [checkStateRoot(facts), checkLock(facts, platform), ...checkAsides(asides.filter((one) => one !== null))]
})

/** The root of the repository around the caller's directory, its absent submodules, and git's complaint or null. */
const repositoryAt = Effect.fnUntraced(function*(cwd: string) {
  const { overview, repository } = yield* Git
  return yield* Effect.gen(function*() {
    const { root } = yield* repository(cwd)
    const { absent, problem } = yield* overview(cwd, { _tag: "Uncommitted" }, null)
    return { root, absent, problem }
  }).pipe(
    Effect.catch((failure) => Effect.succeed({ root: cwd, absent: [], problem: plainText(failure) })),
    Effect.provideService(IdentityTimeout, limit)
  )
})

/** Examines the machine. Never fails: a fault of the machine is one of its answers. */
export const examine = Effect.fn("Doctor.examine")(function*(examined: Examined) {
  const { ask, nodeVersion, platform, withheld } = yield* Machine
  const asked = (program: string, ...args: ReadonlyArray<string>) => ask(program, args, { cwd: examined.cwd, limit })
  const [version, repository, gh, auth, claude, codexChecks, storageChecks] = yield* Effect.all(
    [
      asked("git", "--version"),
      repositoryAt(examined.cwd),
      asked("gh", "--version"),
      asked("gh", "auth", "status"),
      asked("claude", "--version"),
      codex(examined),
      stateRoot(examined)
    ],
    { concurrency: "unbounded" }
  )
  const git = checkGit(version, platform)
  const absent = checkSubmodules(repository.absent)
  const claudeCheck = checkClaude(claude)
  return [
    checkNode(nodeVersion),
    git,
    checkRepository(repository.root, repository.problem, git),
    ...absent === null ? [] : [absent],
    ...codexChecks,
    ...storageChecks,
    checkGh(gh, auth, platform),
    ...claudeCheck === null ? [] : [claudeCheck, ...checkVariables("claude", yield* withheld("claude"))],
    ...checkVariables("codex", yield* withheld("codex"))
  ] satisfies ReadonlyArray<Check>
})
