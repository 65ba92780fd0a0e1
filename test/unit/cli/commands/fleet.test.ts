// fleet: its subcommands without a store, and what they ask of one. test/fleet runs it for real.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { commanding } from "../../../../src/commandLayers.ts"
import { carryOut } from "../../../../src/cli/command.ts"
import { command, statusJson, statusTable, waited } from "../../../../src/cli/commands/fleet.ts"
import { Fleets } from "../../../../src/cli/fleets.ts"
import type { WorkerOptions } from "../../../../src/fleet/Fleets.ts"
import { type FleetSetup, FleetStore, RunExports } from "../../../../src/fleet/FleetStore.ts"
import { type FleetTarget, FleetTargets, type FleetTargetState } from "../../../../src/fleet/FleetTargets.ts"
import { type Submission, Submissions, targetOf } from "../../../../src/fleet/Submission.ts"
import { Environment } from "../../../../src/platform/Environment.ts"
import { Output } from "../../../../src/platform/Process.ts"
import * as Memory from "../../../../src/testing/Memory.ts"
import { CommitSha } from "../../../../src/run/Target.ts"
import { pinnedOf } from "../../fleet/pins.ts"

const facts = { name: "pg:1", work: "/srv", local: false, lease: 30_000 }

const call = async (
  line: string,
  env: Record<string, string> = { OODA_STORE: "postgres://u:s3cret@h/x" }
) => {
  const printed: Array<string> = []
  const asked: Array<FleetSetup | Submission | WorkerOptions> = []
  const store = Layer.succeed(FleetStore, {
    setUp: (setup) =>
      Effect.sync(() => {
        asked.push(setup)
        return { ...facts, work: setup.work ?? facts.work, isNew: setup.work !== null }
      }),
    facts: Effect.succeed(facts),
    contents: () => Effect.die("nothing is exported")
  })
  const ports = Layer.mergeAll(
    store,
    Memory.layer(),
    Layer.mock(Submissions, {
      of: () => Effect.succeed([]),
      submit: (_root, submission) =>
        Effect.sync(() => {
          asked.push(submission)
          return { number: 1, at: 0, submission, isNew: true }
        })
    }),
    Layer.mock(FleetTargets, {
      enqueue: () => Effect.succeed(true),
      all: () => Effect.succeed([]),
      of: () => Effect.succeed(null)
    })
  )
  const ended = await Effect.runPromise(
    carryOut(command, line.split(" ").filter((word) => word !== ""), { cwd: Effect.succeed("/"), version: "0" }).pipe(
      Effect.provide(Layer.mergeAll(
        commanding,
        Layer.succeed(Output, { write: (text) => Effect.sync(() => void printed.push(text)) }),
        Layer.succeed(RunExports, { write: () => Effect.die("nothing is exported") })
      )),
      Effect.provideService(Environment, env),
      Effect.provideService(Fleets, {
        store: () => store,
        at: () => ports,
        seen: () => Layer.effectContext(Effect.die("no code is looked at")),
        work: (_url, _facts, options, begun) => Effect.andThen(begun, Effect.sync(() => void asked.push(options)))
      })
    )
  )
  return { ...ended, asked, printed: printed.join("") }
}

const [head, base] = ["a".repeat(40), "b".repeat(40)]
const whole = `submit --repo https://github.com/a/x --pr 7 --head ${head} --base ${base}`

describe("fleet", () => {
  it("needs a store", async () => {
    const { code, stderr } = await call("status", {})
    assert.strictEqual(code, 6)
    assert.match(stderr, /no store is named/)
  })

  it("says what was set up, and what was before", async () => {
    const { asked, code, printed } = await call("init --work /work --lease 10s --account team=8")
    assert.strictEqual(code, 0, printed)
    assert.deepStrictEqual(asked, [
      { work: "/work", local: false, lease: 10_000, writer: null, account: { name: "team", cap: 8 } }
    ])
    assert.strictEqual(printed, "set up store pg:1, work below /work, takes repositories of https://, lease 30 s\n")
    assert.match((await call("init")).printed, /^set up already: store pg:1, work below \/srv,/)
  })

  it("works with its defaults, and says for whom", async () => {
    const { asked, code, printed } = await call("worker")
    assert.deepStrictEqual([code, printed], [0, "works for store pg:1 below /srv\n"])
    assert.deepStrictEqual(asked, [{
      work: null,
      name: null,
      account: null,
      capacity: 8,
      active: 20,
      retro: "park",
      codexBin: "codex",
      reviewTimeout: 3_600_000,
      idleTimeout: 1_200_000,
      access: null
    }])
  })

  it("submits with its defaults", async () => {
    const { asked, printed } = await call(`${whole} -n 2`)
    assert.match(printed, /^submitted x-[0-9a-f]{12} pr\/7, number 1\n$/)
    const repo = "https://github.com/a/x"
    const rungs = { floor: "low", ceiling: "xhigh", batchSize: 2 }
    assert.deepEqual<unknown>(asked, [{ repo, pr: 7, head, base, branch: "main", ...rungs }])
  })

  it.each([
    ["", "fleet needs a subcommand: init, submit, worker, status, wait, export"],
    ["init --work work", '--work "work": expected a path from the root'],
    ["worker --work work", '--work "work": expected a path from the root'],
    ["init --account a", '--account "a": expected NAME=CAP'],
    ["init --lease 1s", '--lease "1s": expected a duration from 3s to 10m'],
    ["sumbit", 'unknown subcommand "sumbit" did you mean submit?'],
    ["nothing", 'unknown subcommand "nothing"'],
    ["init --capacity 3", "unknown flag --capacity"],
    ["worker --account a=3", '--account "a=3": expected at most 64 letters'],
    ["worker --lease 3s", "unknown flag --lease"],
    ["worker --json", "unknown flag --json"],
    ["status --capacity 3", "unknown flag --capacity"],
    [`submit --repo https://github.com/a/x --pr 7 --base ${base}`, "--head"],
    [whole.replace("https", "ssh"), "only https:// is fetched"],
    [whole.replace(head, "HEAD"), "a full commit id"],
    [`${whole} --level high --ceiling low`, "ceiling lies below the floor"],
    [`${whole} -n 33`, '-n "33": expected a whole number from 1 to 32'],
    ["wait", "TARGET"],
    ["wait x", 'TARGET "x": expected a pull request'],
    ["wait https://github.com/a/x#7 --head main", '--head "main": expected a full commit id'],
    ["export x", "DIR"]
  ])("%s is misuse", async (line, text) => {
    const { code, stderr } = await call(line)
    assert.strictEqual(code, 64)
    assert.include(stderr.split("\n").slice(0, -2).join(" "), text)
    assert.match(stderr, /\nsee 'ooda-codex-review fleet( [a-z]+)? --help'\n$/)
  })

  it("has help of its own for each subcommand", async () => {
    const { stdout: all } = await call("--help")
    for (const name of ["init", "submit", "worker", "status", "wait", "export"]) {
      assert.include(all, name)
      const { code, stdout } = await call(`${name} --help`)
      assert.strictEqual(code, 0)
      assert.match(stdout, new RegExp(`^ooda-codex-review fleet ${name} [a-z][^]{20,}?[.:]\n\n`))
      for (const [, example = ""] of stdout.matchAll(/^ {2}ooda-codex-review fleet (.*)$/gm)) {
        if (example.startsWith(name) && !/[[<]/.test(example)) assert.notStrictEqual((await call(example)).code, 64)
      }
    }
    assert.include((await call("init --help")).stdout.replace(/\s+/g, " "), "3s to 10m, default 30s")
  })
})

const { submission } = pinnedOf()
const other = CommitSha.make("c".repeat(40))
const target = targetOf("pg:1", submission)

interface Case {
  readonly head?: CommitSha
  /** How many submissions there are, and which of them the standing is about. */
  readonly newest?: number
  readonly decidedOn?: number
  readonly standing?: FleetTargetState
}

const wait = ({ head, newest = 2, standing = "Done", decidedOn = newest }: Case) =>
  Effect.runPromise(
    waited({
      target: { repo: submission.repo, pr: submission.pr },
      head: head ?? null,
      stepTimeout: 0
    }).pipe(
      Effect.provide(Layer.mergeAll(
        Layer.succeed(FleetStore, {
          setUp: () => Effect.die("nothing is set up"),
          facts: Effect.succeed({ name: "pg:1", work: "/work", local: false, lease: 30_000 }),
          contents: () => Effect.die("nothing is exported")
        }),
        Layer.mock(Submissions, {
          of: () => Effect.succeed(newest === 0 ? [] : [{ number: newest, at: 0, submission }])
        }),
        Layer.mock(FleetTargets, {
          of: () =>
            Effect.succeed({
              ...{ target, standing, submission: decidedOn, head: submission.head, turns: 1, since: 0 },
              ...{ run: "r", moved: false, end: { header: "DoneFixedPoint", code: 0 } }
            })
        })
      )),
      Effect.match({ onFailure: ({ message }) => message, onSuccess: (ending) => ending })
    )
  )

const idle = { stdout: "", stderr: "Idle\n", code: 7 }

describe("fleet wait", () => {
  it.each([{}, { head: submission.head }])(
    "ends as the last step did, and says of which head: %j",
    async (given) =>
      assert.deepStrictEqual(await wait(given), {
        stdout: `${target.repoId} ${target.targetKey}, number 2, head ${submission.head}\n`,
        stderr: "DoneFixedPoint\n",
        code: 0
      })
  )

  it("does not pass by the fixed point of another head", async () =>
    assert.strictEqual(
      await wait({ head: other }),
      `the newest head that was submitted is ${submission.head} [wait for that one, or submit yours]`
    ))

  it.each([{ decidedOn: 1 }, { standing: "Active" as const }, { standing: "Waiting" as const }])(
    "waits while the newest submission does not rest: %j",
    async (given) => assert.deepStrictEqual(await wait(given), idle)
  )

  it("says that nothing was submitted", async () =>
    assert.match(`${await wait({ newest: 0 })}`, /was not submitted here \[fleet submit\]/))
})

describe("fleet status", () => {
  const one: FleetTarget = {
    target: { root: "/s", repoId: "name-0123456789ab", targetKey: "pr/7" },
    turns: 1,
    moved: false,
    submission: 2,
    head: "0123456789abcdef0123456789abcdef01234567",
    standing: "Parked",
    since: 60_000,
    run: "20260101T000000Z-1-p1",
    end: { header: "BinaryError: a b", code: 6 }
  }

  it("is a table", () => {
    const [head, first, second, ...rest] = statusTable([one, {
      ...one,
      head: null,
      run: null,
      end: null,
      since: 200_000
    }], 120_000)
      .split("\n")
    assert.match(head ?? "", /^REPOSITORY +TARGET +HEAD +STATE +FOR +RUN +LAST TURN$/)
    assert.match(
      first ?? "",
      /^name-0123456789ab +pr\/7 +0123456789ab +parked +1m.* +20260101T000000Z-1-p1 +BinaryError: a b$/
    )
    assert.match(second ?? "", /^name-0123456789ab +pr\/7 +- +parked +0.* +- +-$/)
    assert.deepEqual(rest, [""])
    assert.strictEqual(statusTable([], 0), "nothing was submitted\n")
  })

  it("is a document", () => {
    assert.deepEqual(JSON.parse(statusJson([one, { ...one, end: null }])), {
      schema: 1,
      targets: [
        {
          repo: "name-0123456789ab",
          target: "pr/7",
          submission: 2,
          head: one.head,
          turns: 1,
          run: { run: "20260101T000000Z-1-p1", repo: "name-0123456789ab", target: "pr/7" },
          standing: "Parked",
          since: "1970-01-01T00:01:00.000Z",
          header: "BinaryError: a b",
          exitCode: 6
        },
        {
          repo: "name-0123456789ab",
          target: "pr/7",
          submission: 2,
          head: one.head,
          turns: 1,
          run: { run: "20260101T000000Z-1-p1", repo: "name-0123456789ab", target: "pr/7" },
          standing: "Parked",
          since: "1970-01-01T00:01:00.000Z",
          header: null,
          exitCode: null
        }
      ]
    })
  })
})
