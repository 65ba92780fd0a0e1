// fleets: a store, a bare repository with a pull request, and workers of this process with the fake codex.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Context, Effect, Fiber, Layer, Redacted, Result } from "effect"
import { reviews, submitted, turns } from "../../src/fleet/sql/Queues.live.ts"
import { CommitSha } from "../../src/run/Target.ts"
import { decode, type Submission, Submissions, targetOf } from "../../src/fleet/Submission.ts"
import { ofMachine, ofReviewers, stored } from "../../src/fleetLayers.ts"
import { turn } from "../../src/fleet/Turn.ts"
import { work, type WorkOptions } from "../../src/fleet/Worker.ts"
import { Environment } from "../../src/platform/Environment.ts"
import { type FleetTarget, FleetTargets } from "../../src/fleet/FleetTargets.ts"
import { ReviewFiles } from "../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../src/review/Reviewers.ts"
import { Signals } from "../../src/platform/Process.ts"
import { committer } from "./committer.ts"
import { querying } from "./databases.ts"

const fake = fileURLToPath(new URL("../../fixtures/fake-codex", import.meta.url))
export const root = "pg:0123456789abcdef"

/** A fleet of tests: all that it keeps beside its database lies below `dir`. */
export const makeFleet = (url: string, account: string | null = null) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-fleet-")))
  for (const name of ["home", "tmp", "control", "author"]) mkdirSync(join(dir, name))
  const env = {
    PATH: `${fake}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: join(dir, "home"),
    TMPDIR: join(dir, "tmp"),
    ...committer,
    GIT_CONFIG_GLOBAL: "/dev/null",
    FAKE_CODEX_DIR: join(dir, "control")
  }
  const author = join(dir, "author")
  const bare = join(dir, "name.git")
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", args, { cwd: author, env, encoding: "utf8", stdio: "pipe" }).trim()
  git("init", "-q", "-b", "main")
  writeFileSync(join(author, "a.txt"), "one\n")
  git("add", ".")
  git("commit", "-qm", "One")
  execFileSync("git", ["clone", "-q", "--bare", author, bare], { env })
  const base = git("rev-parse", "HEAD")
  const layer = Layer.orDie(stored(Redacted.make(url), { lease: 3000, account }))

  const push = ({ head, pr }: { readonly pr: number; readonly head: string }) =>
    void git("push", "-q", "--force", bare, `${head}:refs/pull/${pr}/head`)

  /** Commits a change of a pull request, pushes it by default, and returns what is then submitted. */
  const pushed = (pr: number, text: string, other: object = {}, now = true): Submission => {
    git("checkout", "-q", "-B", `pr-${pr}`, base)
    writeFileSync(join(author, "a.txt"), text)
    git("commit", "-qam", `Change ${text}`)
    const head = git("rev-parse", "HEAD")
    if (now) push({ pr, head })
    const given = { repo: `file://${bare}`, pr, head, base, branch: "main", ...other }
    return Result.getOrThrow(decode(given, { local: true }))
  }

  const submit = (submission: Submission) =>
    Effect.gen(function*() {
      const { number } = yield* (yield* Submissions).submit(root, submission)
      return yield* (yield* FleetTargets).enqueue(targetOf(root, submission), number)
    })

  const woken = (submission: Submission, why = "something has happened") =>
    FleetTargets.use((targets) => targets.wakeLater(targetOf(root, submission), why, 0))

  let workers = 0
  const worker = Effect.fnUntraced(function*(other: Partial<WorkOptions>) {
    const own = `worker-${++workers}`
    const queues = { reviews: yield* reviews, turns: yield* turns, submitted: yield* submitted }
    const local = yield* Effect.map(
      Layer.build(ofReviewers),
      (context): Context.Context<Reviewers | ReviewFiles> => context
    )
    const working: WorkOptions = {
      root,
      machine: `machine-${workers}`,
      queues,
      local,
      environment: env,
      capacity: 4,
      active: 10,
      tellEvery: 500,
      idleTimeout: 60_000,
      reviewTimeout: 60_000,
      codexBin: "codex",
      retro: "clean",
      ...other
    }
    return yield* work(working).pipe(
      Effect.provide(machine(own)),
      Effect.provideService(Signals, { asked: Effect.never }),
      Effect.provideService(Environment, env)
    )
  }, Effect.scoped)

  const machine = (own: string) =>
    ofMachine({ work: join(dir, "work"), recorded: join(dir, "work"), access: null }, join(dir, own))

  /** Takes one turn of the run of a pull request. */
  const taken = (submission: Submission, retro: WorkOptions["retro"]) =>
    turn(targetOf(root, submission), { codexBin: "codex", idleTimeout: 60_000, reviewTimeout: 60_000, retro }, 6).pipe(
      Effect.provide(machine("turns")),
      Effect.provideService(Signals, { asked: Effect.never }),
      Effect.provideService(Environment, env)
    )

  /** Waits until a target has the expected standing. */
  const awaitTarget = (submission: Submission, expected: (target: FleetTarget) => boolean) =>
    Effect.gen(function*() {
      const targets = yield* FleetTargets
      while (true) {
        const found = yield* targets.of(targetOf(root, submission))
        if (found !== null && expected(found)) return found
        yield* Effect.sleep(100)
      }
    }).pipe(Effect.timeout("60 seconds"))

  return {
    dir,
    env,
    layer,
    push,
    pushed,
    submit,
    woken,
    worker,
    awaitTarget,
    taken,
    scenario: (when: string, words: string) => writeFileSync(join(dir, "control", when), words),
    nowhere: CommitSha.make("0123456789".repeat(4)),
    active: FleetTargets.use((targets) => targets.active(root)),
    name: (owner: string) =>
      querying(
        owner,
        (sql) =>
          sql`insert into ooda_store (name, work, local, lease) values (${root}, ${join(dir, "work")}, true, 3000)`
      ),
    remove: () => rmSync(dir, { recursive: true, force: true })
  }
}

/** Runs workers while a test does something. */
export const beside = <A, E, R, E2, R2>(workers: Effect.Effect<unknown, E2, R2>, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(workers)
    const done = yield* Effect.raceFirst(use, Effect.andThen(Fiber.join(fiber), Effect.never))
    yield* Fiber.interrupt(fiber)
    return done
  })
