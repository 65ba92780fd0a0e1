// fleet: the subcommand `fleet`: pull requests of many repositories, reviewed by many machines over one database.
import { Clock, Effect, Redacted, Result, Schema } from "effect"
import { Command } from "effect/cli"
import { FleetStore, RunExports } from "../../fleet/FleetStore.ts"
import { type FleetTarget, FleetTargets, WaitRefused } from "../../fleet/FleetTargets.ts"
import {
  decode,
  mostReviewers,
  namedTarget,
  type Submission,
  SubmissionRefused,
  Submissions,
  type TargetName,
  targetNamed,
  targetOf
} from "../../fleet/Submission.ts"
import { variable } from "../../platform/Environment.ts"
import { exits, type Failure } from "../../platform/Failure.ts"
import { Output } from "../../platform/Process.ts"
import { Count, documentText, RunName, runName, version } from "../../run/Document.ts"
import type { Setting } from "../../run/Setting.ts"
import { stepSettings } from "../../run/StepSettings.ts"
import { CommitSha } from "../../run/Target.ts"
import { select } from "../../step/Selection.ts"
import { span } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { table } from "../../text/Paint.ts"
import { type CallContext, family, subcommand } from "../command.ts"
import { type Ending, exited } from "../ending.ts"
import { Fleets } from "../fleets.ts"
import { flagAs, flagsFor, json, operand, optional, requiredFlag, storeFlag } from "../options.ts"
import { storeUrl } from "../targetOptions.ts"
import { line, path, type Value } from "../values.ts"

/** The settings of `fleet` that no other command has, by their names. */
export const fleetSettings = {
  work: {
    flag: "--work",
    metavar: "DIR",
    kind: "path",
    text: "The path on every machine below which code is reviewed: recorded by init, checked by worker."
  },
  local: {
    flag: "--local",
    kind: "switch",
    text: "Repositories of the fleet's own machines (file://) may be submitted."
  },
  lease: {
    flag: "--lease",
    metavar: "DUR",
    kind: "duration",
    bounds: { least: 3000, most: 600_000 },
    default: 30_000,
    text: "How long a worker may be silent before others take over its work."
  },
  writer: {
    flag: "--writer",
    metavar: "ROLE",
    kind: "line",
    text: "A role of the database that workers log in as."
  },
  cap: {
    flag: "--account",
    metavar: "NAME=CAP",
    kind: "text",
    text: "How many reviewers may use an account at once, over all machines."
  },
  name: {
    flag: "--name",
    metavar: "NAME",
    kind: "text",
    text: "Distinguishes this worker from others of its machine."
  },
  account: { flag: "--account", metavar: "NAME", kind: "text", text: "The account that its reviewers use." },
  awaited: {
    flag: "--head",
    metavar: "SHA",
    kind: "text",
    text: "Wait for this commit; fail (6) once another one is submitted."
  },
  repo: { flag: "--repo", metavar: "URL", kind: "line", text: "The repository, required." },
  pr: {
    flag: "--pr",
    metavar: "NUM",
    kind: "count",
    bounds: { least: 1, most: 2 ** 31 - 1 },
    text: "The number of the pull request, required."
  },
  head: { flag: "--head", metavar: "SHA", kind: "line", text: "The commit to review, required." },
  base: { flag: "--base", metavar: "SHA", kind: "line", text: "The commit of the base branch, required." },
  branch: { flag: "--branch", metavar: "NAME", kind: "line", default: "main", text: "The base branch." },
  batchSize: {
    ...stepSettings.batchSize,
    bounds: { least: stepSettings.batchSize.bounds.least, most: mostReviewers }
  },
  capacity: {
    flag: "--capacity",
    metavar: "N",
    kind: "count",
    bounds: { least: 1, most: 256 },
    default: 8,
    text: "Reviews at once."
  },
  active: {
    flag: "--active",
    metavar: "N",
    kind: "count",
    bounds: { least: 1, most: 10_000 },
    default: 20,
    text: "Runs of the whole fleet at once."
  },
  retro: {
    flag: "--retro",
    metavar: "WHO",
    kind: "word",
    words: ["park", "clean"],
    default: "park",
    text: "What to do with retrospectives: park, or mark clean."
  }
} as const satisfies Record<string, Setting>

const name: Value<string> = (text) =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)
    ? Result.succeed(text)
    : Result.fail("expected at most 64 letters, digits, dots, dashes and underscores")

const cappedAccount: Value<{ readonly name: string; readonly cap: number }> = (text) => {
  const [, account = "", cap = ""] = /^([^=]*)=([1-9][0-9]{0,2})$/.exec(text) ?? []
  return Result.mapBoth(name(account), {
    onFailure: () => "expected NAME=CAP, an account and how many reviewers may use it at once",
    onSuccess: (name) => ({ name, cap: Number(cap) })
  })
}

const absolutePath: Value<string> = (text) =>
  text.startsWith("/")
    ? path(text)
    : Result.fail("expected a path from the root, since it is the same on every machine")

const isCommit = Schema.is(CommitSha)
const commit: Value<CommitSha> = (text) =>
  isCommit(text)
    ? Result.succeed(text)
    : Result.fail("expected a full commit id of 40 hexadecimal digits in lower case")

const { active, awaited, batchSize, branch, cap, capacity, lease, local, retro, writer } = fleetSettings
const work = optional(flagAs(fleetSettings.work, absolutePath))

type Values<Flags extends Command.Command.Config> = Command.Command.Config.Infer<Flags>

/** A subcommand from its help and its action. */
const child = <Given extends object, E extends Failure, R>(
  about: ReadonlyArray<string>,
  example: Command.Command.Example,
  run: (given: Given, called: CallContext) => Effect.Effect<Ending, E, R>
) =>
  subcommand({
    parent: "fleet",
    about,
    examples: [example],
    read: (given: Given) => Result.succeed(given),
    run
  })

const say = Effect.fnUntraced(function*(text: string) {
  yield* (yield* Output).write(`${text}\n`)
  return exited(exits.done)
})

const inStore = Effect.fnUntraced(function*<A, E, R>(store: string | null, run: Effect.Effect<A, E, R>) {
  return yield* Effect.provide(run, (yield* Fleets).at(yield* storeUrl(store)))
})

// `fleet init`

const initFlags = {
  work,
  ...flagsFor({ local, lease, writer }),
  // Left out, it stays as it is recorded.
  lease: optional(requiredFlag(lease)),
  account: optional(flagAs(cap, cappedAccount)),
  store: storeFlag
}

const setUp = Effect.fn("fleet.setUp")(function*({ store: url, ...asked }: Values<typeof initFlags>) {
  const store = (yield* Fleets).store(yield* storeUrl(url))
  const { isNew, lease, local, name, work } = yield* Effect.provide(
    FleetStore.use(({ setUp }) => setUp(asked)),
    store
  )
  const takes = local ? "repositories of https:// and of its own machines" : "repositories of https://"
  const done = isNew ? "set up" : "set up already:"
  return yield* say(`${done} store ${name}, work below ${oneLine(work)}, takes ${takes}, lease ${lease / 1000} s`)
})

const init = Command.make("init", initFlags).pipe(
  child(
    [
      "makes the tables, and records the path below which every machine works.",
      "",
      "What is not given stays as it is recorded. A newer version upgrades the tables."
    ],
    { command: "ooda-codex-review fleet init --work /srv/ooda", description: "Set up a fleet." },
    setUp
  )
)

// `fleet submit`

const submitFlags = {
  repo: requiredFlag(fleetSettings.repo),
  pr: requiredFlag(fleetSettings.pr),
  head: requiredFlag(fleetSettings.head),
  base: requiredFlag(fleetSettings.base),
  ...flagsFor({ branch, floor: stepSettings.floor, ceiling: stepSettings.ceiling, batchSize }),
  store: storeFlag
}

const submitted = Effect.fn("fleet.submitted")(function*(given: Submission) {
  const { local, name } = yield* (yield* FleetStore).facts
  const submission = yield* Effect.mapError(
    Effect.fromResult(decode(given, { local })),
    (message) => new SubmissionRefused({ message })
  )
  const { isNew, number } = yield* (yield* Submissions).submit(name, submission)
  const target = targetOf(name, submission)
  const isQueued = yield* (yield* FleetTargets).enqueue(target, number)
  const done = isNew ? "submitted" : isQueued ? "takes up again:" : "submitted already:"
  return yield* say(`${done} ${target.repoId} ${target.targetKey}, number ${number}`)
})

const submit = Command.make("submit", submitFlags).pipe(subcommand({
  parent: "fleet",
  about: [
    "says that a pull request has a new head.",
    "",
    "Submitting the same head again changes nothing, unless its last turn failed: then it is taken up again."
  ],
  examples: [{
    command: `ooda-codex-review fleet submit --repo https://github.com/owner/name --pr 7 --head ${"1".repeat(40)} ` +
      `--base ${"2".repeat(40)}`,
    description: "Have a pull request reviewed."
  }],
  read: ({ store, ...given }: Values<typeof submitFlags>) =>
    Result.map(decode(given, { local: true }), (submission) => ({ store, submission })),
  run: ({ store, submission }) => inStore(store, submitted(submission))
}))

// `fleet worker`

const { codexBin, idleTimeout, reviewTimeout } = stepSettings

const workerFlags = {
  work,
  name: optional(flagAs(fleetSettings.name, name)),
  account: optional(flagAs(fleetSettings.account, name)),
  ...flagsFor({ capacity, active, retro, codexBin, reviewTimeout, idleTimeout }),
  store: storeFlag
}

/** The token for fetching from a host, only from the environment. */
const access = Effect.gen(function*() {
  const token = yield* variable("OODA_FETCH_TOKEN")
  const host = (yield* variable("OODA_FETCH_HOST")) ?? "github.com"
  return token === null ? null : { host, token: Redacted.make(token) }
})

const worker = Command.make("worker", workerFlags).pipe(
  child(
    [
      "reviews for the fleet and drives its runs on, until SIGTERM: then it ends with what it is doing.",
      "",
      "A token that fetches from $OODA_FETCH_HOST (default github.com) comes by $OODA_FETCH_TOKEN."
    ],
    { command: "ooda-codex-review fleet worker --capacity 8", description: "Work for the fleet." },
    Effect.fn("fleet.worker")(function*({ store, ...options }: Values<typeof workerFlags>) {
      const url = yield* storeUrl(store)
      const fleets = yield* Fleets
      const facts = yield* Effect.provide(FleetStore.use(({ facts }) => facts), fleets.store(url))
      const { write } = yield* Output
      const begun = Effect.orDie(write(`works for store ${facts.name} below ${oneLine(facts.work)}\n`))
      yield* fleets.work(url, facts, { ...options, access: yield* access }, begun)
      return exited(exits.done)
    })
  )
)

// `fleet wait`: waits until a pull request rests, and ends like the last step of its run

// Milliseconds between two looks.
const lookEvery = 1000

/** The pull request to wait for, and for how many milliseconds; null waits without a limit. */
interface WaitOptions {
  readonly target: TargetName
  readonly head: CommitSha | null
  readonly stepTimeout: number | null
}

const rests = ({ standing }: FleetTarget): boolean => standing === "Parked" || standing === "Done"

/**
 * Waits until a target rests with its newest submission, and returns its head. If `head` is given and is not that head,
 * it fails: otherwise a job could take the fixed point of another head for its own.
 */
export const waited = Effect.fn("fleet.waited")(
  function*({ head, stepTimeout: timeout, target: name }: WaitOptions) {
    const { facts } = yield* FleetStore
    const targets = yield* FleetTargets
    const submissions = yield* Submissions
    const target = namedTarget((yield* facts).name, name)
    const until = timeout === null ? null : (yield* Clock.currentTimeMillis) + timeout
    while (true) {
      const found = yield* targets.of(target)
      const [newest] = yield* submissions.of(target, 1)
      if (newest === undefined) {
        return yield* new WaitRefused({ message: "that pull request was not submitted here [fleet submit]" })
      }
      const submitted = newest.submission.head
      if (head !== null && submitted !== head) {
        return yield* new WaitRefused({
          message: `the newest head that was submitted is ${submitted} [wait for that one, or submit yours]`
        })
      }
      if (found !== null && found.submission === newest.number && rests(found) && found.end !== null) {
        const stdout = `${target.repoId} ${target.targetKey}, number ${newest.number}, head ${submitted}\n`
        return { stdout, stderr: `${oneLine(found.end.header)}\n`, code: found.end.code } satisfies Ending
      }
      if (until !== null && (yield* Clock.currentTimeMillis) >= until) {
        return { stdout: "", stderr: "Idle\n", code: 7 } satisfies Ending
      }
      yield* Effect.sleep(lookEvery)
    }
  }
)

// The states of the targets, as a table and as a document

/** The document of `fleet status --json`. */
export class FleetDocument extends Schema.Class<FleetDocument>("Fleet")({
  schema: version,
  targets: Schema.Array(Schema.Struct({
    repo: Schema.String,
    target: Schema.String,
    submission: Count,
    head: Schema.NullOr(Schema.String),
    turns: Count,
    standing: Schema.Literals(["Waiting", "Active", "Parked", "Done"]),
    since: Schema.String,
    run: Schema.NullOr(RunName),
    header: Schema.NullOr(Schema.String),
    exitCode: Schema.NullOr(Count)
  }))
}) {}

/** One line for each target, the last changed first. */
export const statusTable = (targets: ReadonlyArray<FleetTarget>, now: number): string =>
  targets.length === 0 ? "nothing was submitted\n" : table([
    ["REPOSITORY", "TARGET", "HEAD", "STATE", "FOR", "RUN", "LAST TURN"],
    ...targets.map(({ end, head, run, since, standing, target }) => [
      oneLine(target.repoId),
      target.targetKey,
      head?.slice(0, 12) ?? "-",
      standing.toLowerCase(),
      span(Math.max(0, now - since)),
      run ?? "-",
      oneLine(end?.header ?? "-")
    ])
  ])

/** The same as one document. */
export const statusJson = (targets: ReadonlyArray<FleetTarget>): string =>
  documentText(FleetDocument, {
    targets: targets.map(({ end, head, run, since, standing, submission, target, turns }) => ({
      repo: target.repoId,
      target: target.targetKey,
      submission,
      head,
      turns,
      standing,
      since: new Date(since).toISOString(),
      run: run === null ? null : runName({ ...target, runId: run }),
      header: end?.header ?? null,
      exitCode: end?.code ?? null
    }))
  })

const statusFlags = { store: storeFlag, json }

const showStatus = Effect.fn("fleet.showStatus")(function*(asksJson: boolean) {
  const { name } = yield* (yield* FleetStore).facts
  const all = yield* (yield* FleetTargets).all(name)
  yield* (yield* Output).write(asksJson ? statusJson(all) : statusTable(all, yield* Clock.currentTimeMillis))
  return exited(exits.done)
})

const status = Command.make("status", statusFlags).pipe(
  child(
    ["shows where every pull request is."],
    { command: "ooda-codex-review fleet status", description: "See where everything is." },
    ({ json, store }: Values<typeof statusFlags>) => inStore(store, showStatus(json))
  )
)

const waitFlags = {
  target: operand("TARGET", targetNamed, "The pull request, as URL#NUM."),
  head: optional(flagAs(awaited, commit)),
  ...flagsFor({ stepTimeout: stepSettings.stepTimeout }),
  store: storeFlag
}

const wait = Command.make("wait", waitFlags).pipe(
  child(
    [
      "waits until a pull request rests, says of which head, and ends as the last step of its run did.",
      "",
      "Exits 0 at the fixed point, 5 where its author is asked to act, and so on, as a step does."
    ],
    {
      command: "ooda-codex-review fleet wait https://github.com/owner/name#7",
      description: "Wait for a pull request that was submitted."
    },
    ({ store, ...options }: Values<typeof waitFlags>) => inStore(store, waited(options))
  )
)

// `fleet export`

const exportFlags = {
  run: operand("RUN", line, "A run's id, or the beginning of it."),
  directory: operand("DIR", path, "The directory to write the run into."),
  store: storeFlag
}

const exportRun = Effect.fn("fleet.exportRun")(function*(prefix: string, directory: string, cwd: string) {
  const run = yield* select({ _tag: "Named", prefix }, { stateRoot: null, cwd })
  const contents = yield* (yield* FleetStore).contents(run)
  const root = yield* (yield* RunExports).write(cwd, directory, contents)
  return yield* say(`exported ${run.runId} to ${oneLine(root)}`)
})

const exporting = Command.make("export", exportFlags).pipe(
  child(
    ["writes a run into files, which an audit then proves without the database."],
    {
      command: "ooda-codex-review fleet export 20260101T000000Z-1-p1 ./exported",
      description: "Take a run out of the database."
    },
    ({ directory, run, store }: Values<typeof exportFlags>, { cwd }) =>
      Effect.flatMap(cwd, (where) => inStore(store, exportRun(run, directory, where)))
  )
)

export const command = family("fleet", [init, submit, worker, status, wait, exporting], {
  about: [
    "reviews pull requests of many repositories by many machines, over one PostgreSQL database.",
    "",
    "Exits 0, 6 when it could not, 64 on misuse; wait also as a step does. docs/fleet.md shows how to set it up."
  ],
  examples: [
    { command: "ooda-codex-review fleet init --work /srv/ooda", description: "Set up a fleet." },
    { command: "ooda-codex-review fleet worker --capacity 8", description: "Work for the fleet." },
    { command: "ooda-codex-review fleet status", description: "See where everything is." }
  ]
})
