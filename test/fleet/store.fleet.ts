// store: commands that read a store in a database say the same as about its export; and its runs continue.
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, type Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { layer as runExports } from "../../src/fleet/RunExports.live.ts"
import type { RunRef } from "../../src/log/Refs.ts"
import { placesOf } from "../../src/fleet/Mirror.live.ts"
import { type Submission, targetOf } from "../../src/fleet/Submission.ts"
import { FleetStore, RunExports } from "../../src/fleet/FleetStore.ts"
import type { FleetTarget } from "../../src/fleet/FleetTargets.ts"
import { RunStore } from "../../src/run/RunStore.ts"
import { CLI } from "../process/world.ts"
import { databaseOf, makeStore } from "./databases.ts"
import { beside, makeFleet, root } from "./fleets.ts"

const { installed, url } = databaseOf("store")
const writer = "store_writer"
const rests = ({ standing }: FleetTarget): boolean => standing === "Done" || standing === "Parked"

/** What is said of a store whose root this is, without its root and without the time of day. */
const alike = (text: string, root: string): string =>
  text.replaceAll(root, "ROOT").replace(/Made at [-0-9]+ [:0-9]+/, "Made at NOW")

describe.runIf(installed)("a store in a database", () => {
  beforeAll(() => makeStore(url(), writer))
  const fleet = makeFleet(url(writer))
  beforeAll(() => fleet.name(url()))
  afterAll(() => fleet.remove())
  const run = <A, E>(use: Effect.Effect<A, E, Layer.Success<typeof fleet.layer>>) =>
    Effect.runPromise(Effect.provide(use, fleet.layer))
  const bare = `file://${join(fleet.dir, "name.git")}`
  const [clone, files] = [join(fleet.dir, "elsewhere"), join(fleet.dir, "export")]
  const cli = (cwd: string, args: ReadonlyArray<string>, more: Record<string, string> = {}) => {
    const env = { ...fleet.env, ...more }
    const { status, stderr, stdout } = spawnSync(process.execPath, [CLI, ...args], { cwd, env, encoding: "utf8" })
    if (!args.includes("--store")) assert.notInclude(stdout + stderr, url(writer))
    return { status, stderr, stdout }
  }
  const inStore = (...args: ReadonlyArray<string>) => cli(clone, args, { OODA_STORE: url(writer) })
  const submissions: Array<Submission> = []
  const runs: Array<RunRef> = []

  beforeAll(async () => {
    fleet.scenario("default", "clean")
    submissions.push(fleet.pushed(1, "two\n", { ceiling: "medium", batchSize: 2 }))
    submissions.push(fleet.pushed(2, "bad\n", { ceiling: "medium", batchSize: 1 }))
    for (const [at, one] of submissions.entries()) {
      fleet.scenario("default", at === 0 ? "clean" : "issues 1")
      await run(beside(fleet.worker({}), Effect.andThen(fleet.submit(one), fleet.awaitTarget(one, rests))))
    }
    const found = await run(RunStore.use((store) => store.list(root, null)))
    runs.push(
      ...submissions.flatMap((one) => found.filter(({ targetKey }) => targetKey === targetOf(root, one).targetKey))
    )
    mkdirSync(files)
    // What is exported reads the dismissals of the base branch where its run says that it works.
    for (const one of submissions) {
      const worktree = join(fleet.dir, "work", placesOf(one).worktree)
      mkdirSync(dirname(worktree), { recursive: true })
      execFileSync("git", ["clone", "-q", bare, worktree], { env: fleet.env })
    }
    execFileSync("git", ["clone", "-q", bare, clone], { env: fleet.env })
  })

  it("gives the same results for a run as for its exported files", async () => {
    for (const [at, ref] of runs.entries()) {
      const contents = await run(FleetStore.use((store) => store.contents(ref)))
      const to = join(files, `${at}`)
      await Effect.runPromise(
        Effect.provide(RunExports.use((exports) => exports.write(fleet.dir, to, contents)), runExports)
      )
      for (
        const words of [
          ["replay"],
          ["replay", "--json"],
          ["audit"],
          ["audit", "--json"],
          ["findings"],
          ["findings", "--json"],
          ["findings", "--markdown"],
          ["report"]
        ]
      ) {
        const [command = "", ...flags] = words
        const stored = cli(fleet.dir, [command, ref.runId, ...flags], { OODA_STORE: url(writer) })
        const filed = cli(fleet.dir, [command, ref.runId, ...flags, "--state-root", to], {
          OODA_STORE: "postgres://no"
        })
        assert.strictEqual(stored.stderr, filed.stderr, words.join(" "))
        assert.isAbove(stored.stdout.length, 20, words.join(" "))
        assert.strictEqual(alike(stored.stdout, root), alike(filed.stdout, to), words.join(" "))
        assert.strictEqual(stored.status, filed.status, words.join(" "))
      }
    }
    const listed = (at: string, ...args: ReadonlyArray<string>): ReadonlyArray<object> =>
      JSON.parse(alike(cli(fleet.dir, ["runs", "--all", "--json", ...args], { OODA_STORE: url(writer) }).stdout, at))
        .runs
    const filed = [join(files, "0"), join(files, "1")].flatMap((to) => listed(to, "--state-root", to))
    assert.sameDeepMembers([...listed(root)], filed)
    assert.match(cli(fleet.dir, ["audit", runs[0]?.runId ?? "", "--store", url(writer)]).stdout, /\n  sound\n$/)
  })

  it("shows a clone of the repository its runs, whatever the clone is called", () => {
    const all = cli(fleet.dir, ["runs", "--all"], { OODA_STORE: url(writer) })
    assert.strictEqual(all.status, 0, all.stderr)
    for (const { runId } of runs) assert.include(all.stdout, runId)
    const here = inStore("runs", "--json")
    assert.strictEqual(JSON.parse(here.stdout).runs.length, 2, here.stderr)
    assert.match(inStore("findings", "--pr", "1").stdout, /^medium batch 1 of run/)
    assert.strictEqual(inStore("findings").status, 1)
    assert.strictEqual(inStore("attest", "--pr", "1").status, 0)
    // A command that is printed names the store that the call named.
    const named = ["--store", url(writer)]
    const [refused, missing] = [["attest", "--pr", "2"], ["findings", "2031"]]
      .map((words) => cli(clone, [...words, ...named], {}))
    assert.match(refused?.stderr ?? "", /\[ooda-codex-review status \S+ --store '?postgres/)
    assert.match(missing?.stderr ?? "", /`ooda-codex-review runs --all --store '?postgres/)
    assert.match(inStore("watch", "--pr", "1").stdout, /./)
  })

  it("says in one line what it does not hold", () => {
    const lines = [
      [
        ["--pr", "9", "--strict"],
        6,
        /pull request 9 of this repository was not submitted to it \[ooda-codex-review fleet/
      ],
      [["--uncommitted"], 6, /holds pull requests \[name one with --pr NUM/],
      [["replay", "--base", "main"], 6, /holds pull requests \[name one with --pr NUM/],
      [["stop"], 6, /holds pull requests \[name one with --pr NUM/],
      [["--pr", "1", "--store", "postgres://a:s3cret@h/x"], 64, /--store: others can read a password/],
      [["runs", "--store", "postgres://a:s3cret@h/x"], 64, /--store: others can read a password/],
      [["runs", "--store", url(), "--state-root", "/x"], 64, /--store and --state-root exclude each other/],
      [["--pr", "1", "--store", url(), "--state-root", "/x"], 64, /--store and --state-root exclude each other/]
    ] as const
    for (const [args, code, line] of lines) {
      const { status, stderr } = inStore(...args)
      assert.strictEqual(status, code, stderr)
      assert.match(stderr.split("\n")[0] ?? "", line)
      assert.notInclude(stderr, "s3cret")
    }
    const away = cli(clone, ["replay"], { OODA_STORE: "postgres://annabel:s3cret@localhost/x?host=/nowhere" })
    assert.strictEqual(away.status, 6)
    assert.notMatch(away.stderr, /s3cret|annabel/)
    assert.match(cli(fleet.dir, ["replay"], { OODA_STORE: url(writer) }).stderr, /not in a git repository/)
  })

  it("is worked with by no one where a crash of its server loses what that acknowledged", () => {
    const refused = /the store: its server has fsync off, so that a crash takes what was recorded \[turn it on\]/
    assert.match(inStore("fleet", "init", "--work", "/srv").stderr, refused)
    assert.match(inStore("fleet", "worker").stderr, refused)
    const { status, stdout } = inStore("doctor")
    assert.strictEqual(status, 1)
    assert.match(stdout, new RegExp(`^wrong {2}store {7}${refused.source}$`, "m"))
  })

  it("is hidden from this machine's reviewers, and not read if a state root is named", () => {
    const calls = join(fleet.dir, "control/calls")
    const before = readdirSync(calls).length
    fleet.scenario("default", "clean")
    const args = ["--uncommitted", "-n", "1", "--state-root", join(fleet.dir, "state")]
    const stepped = inStore(...args)
    assert.strictEqual(stepped.status, 5, stepped.stderr)
    const added = readdirSync(calls).sort((a, b) => Number(a) - Number(b)).slice(before)
    assert.lengthOf(added, 1)
    for (const call of added) {
      const variables = readFileSync(join(calls, call, "env"), "utf8")
      assert.match(variables, /^PATH=/m)
      assert.notMatch(variables, /^OODA_STORE=/m)
    }
  })

  it("steps where its fleet left off, and a mark wakes the fleet", async () => {
    const done = inStore("--pr", "1", "--strict", "--ceiling", "medium", "--json")
    assert.deepStrictEqual([done.status, JSON.parse(done.stdout).run.run], [0, runs[0]?.runId], done.stderr)
    const handed = inStore("--pr", "2", "--strict", "--ceiling", "medium")
    assert.strictEqual(handed.status, 5, handed.stderr)
    const [, batch = ""] = /--batch (\S+)/.exec(handed.stderr) ?? []
    fleet.scenario("default", "clean")
    const [, two] = submissions
    if (two === undefined) throw new Error("nothing was submitted")
    const marked = inStore("--pr", "2", "--strict", "--batch", batch, "--mark-address-passed")
    assert.strictEqual(marked.status, 7, marked.stderr)
    const found = await run(beside(fleet.worker({}), fleet.awaitTarget(two, ({ standing }) => standing === "Done")))
    assert.strictEqual(found.run, runs[1]?.runId)
  })

  it("runs the reviews of a step on the workers of its fleet, and its stop ends them", async () => {
    fleet.scenario("default", "sleep 60")
    const three = fleet.pushed(3, "three\n", { ceiling: "low", batchSize: 1 })
    const active = ({ run }: FleetTarget) => run !== null
    await run(beside(fleet.worker({}), Effect.andThen(fleet.submit(three), fleet.awaitTarget(three, active))))
    const waits = inStore("--pr", "3", "--strict", "--ceiling", "low", "-n", "1", "--step-timeout", "1s")
    assert.strictEqual(waits.status, 7, waits.stderr)
    const stopped = inStore("stop", "--pr", "3")
    assert.strictEqual(stopped.status, 0, stopped.stderr)
    assert.match(stopped.stdout, /^stopped \d reviewers? of low batch 1\n$/)
  })
})
