// fleet: the subcommand `fleet`: pull requests of many repositories, reviewed by many machines over one database.
import { Clock, Effect, Redacted, Result, Schema } from "effect"
import { Command } from "effect/cli"
import { statusJson, statusTable } from "../core/fleet/StatusText.ts"
import { decode, targetOf } from "../core/fleet/Submission.ts"
import { oneLine } from "../core/text/Text.ts"
import { select } from "../runs/SelectRun.ts"
import { variable } from "../services/Environment.ts"
import { FleetStore, type SetUp } from "../services/FleetStore.ts"
import { FleetTargets } from "../services/FleetTargets.ts"
import { Output } from "../services/Output.ts"
import { RunExports } from "../services/RunExports.ts"
import { Submissions } from "../services/Submissions.ts"
import { type Called, subcommand } from "./Command.ts"
import { exited, exits } from "./Exits.ts"
import { Fleets } from "./FleetDoor.ts"
import { type Asked as Doing, read as readAction } from "./fleetAsked.ts"
import { flags, type Given } from "./fleetFlags.ts"
import { waited } from "./fleetWait.ts"
import { storeUrl } from "./storeUrl.ts"

/** What is asked for, and of which store. */
export interface Asked {
  readonly store: string | null
  readonly doing: Doing
}

/** What is asked for, or what is wrong with the arguments together. */
export const read = (given: Given): Result.Result<Asked, string> =>
  Result.map(readAction(given), (doing) => ({ store: given.store, doing }))

/** The store takes no such pull request. */
export class SubmissionRefused extends Schema.TaggedError<SubmissionRefused>()("SubmissionRefused", {
  reason: Schema.TaggedUnion({ NotTaken: { said: Schema.String } })
}) {
  override get message() {
    return this.reason.said
  }
}

/** The token that fetches from a host, by the environment alone. */
const access = Effect.gen(function*() {
  const token = yield* variable("OODA_FETCH_TOKEN")
  const host = (yield* variable("OODA_FETCH_HOST")) ?? "github.com"
  return token === null ? null : { host, token: Redacted.make(token) }
})

const setUp = Effect.fnUntraced(function*(asked: SetUp) {
  const { isNew, lease, local, name, work } = yield* (yield* FleetStore).setUp(asked)
  const takes = local ? "repositories of https:// and of its own machines" : "repositories of https://"
  const done = isNew ? "set up" : "set up already:"
  const said = `${done} store ${name}, work below ${oneLine(work)}, takes ${takes}, lease ${lease / 1000} s`
  yield* (yield* Output).write(`${said}\n`)
  return exited(exits.done)
})

const inStore = Effect.fnUntraced(function*(
  doing: Exclude<Doing, { readonly _tag: "Worker" | "Init" }>,
  cwd: string
) {
  const { write } = yield* Output
  const store = yield* FleetStore
  switch (doing._tag) {
    case "Submit": {
      const { local, name } = yield* store.facts
      const submission = yield* Result.match(decode(doing.submission, { local }), {
        onFailure: (said) => Effect.fail(new SubmissionRefused({ reason: { _tag: "NotTaken", said } })),
        onSuccess: Effect.succeed
      })
      const { isNew, number } = yield* (yield* Submissions).submit(name, submission)
      const target = targetOf(name, submission)
      const isQueued = yield* (yield* FleetTargets).enqueue(target, number)
      const said = isNew ? "submitted" : isQueued ? "takes up again:" : "submitted already:"
      yield* write(`${said} ${target.repoId} ${target.targetKey}, number ${number}\n`)
      return exited(exits.done)
    }
    case "Status": {
      const { name } = yield* store.facts
      const all = yield* (yield* FleetTargets).all(name)
      const shown = all.map(({ moved: _, target, ...rest }) => ({
        ...rest,
        repo: target.repoId,
        target: target.targetKey
      }))
      yield* write(doing.json ? statusJson(shown) : statusTable(shown, yield* Clock.currentTimeMillis))
      return exited(exits.done)
    }
    case "Wait":
      return yield* waited(doing)
    case "Export": {
      const run = yield* select({ _tag: "Named", prefix: doing.run }, { stateRoot: null, cwd })
      const root = yield* (yield* RunExports).write(cwd, doing.directory, yield* store.contents(run))
      yield* write(`exported ${run.runId} to ${oneLine(root)}\n`)
      return exited(exits.done)
    }
  }
})

/** Does what is asked of a store, and says so. */
export const run = Effect.fn("fleet.run")(function*({ doing, store }: Asked, { cwd }: Called) {
  const url = yield* storeUrl(store)
  const fleets = yield* Fleets
  const { write } = yield* Output
  if (doing._tag === "Init") return yield* Effect.provide(setUp(doing.setUp), fleets.store(url))
  if (doing._tag !== "Worker") return yield* Effect.provide(inStore(doing, yield* cwd), fleets.at(url))
  const facts = yield* Effect.provide(FleetStore.use(({ facts }) => facts), fleets.store(url))
  const begun = Effect.orDie(write(`works for store ${facts.name} below ${oneLine(facts.work)}\n`))
  yield* fleets.work(url, facts, { ...doing, access: yield* access }, begun)
  return exited(exits.done)
})

/** The subcommand. */
export const command = Command.make("fleet", flags).pipe(subcommand({
  read,
  run,
  about: [
    "reviews pull requests of many repositories by many machines, over one PostgreSQL database.",
    "",
    "init makes the tables and records the path below which every machine works. submit says that a pull request has a",
    "new head. worker reviews, and drives runs on, until SIGTERM: then it ends with what it is doing. status tells",
    "where every pull request stands. wait waits until one rests, says of which head, and ends as the last step of its",
    "run did: 0 at the fixed point, 5 where its author is asked to act, and so on; with --head it ends with 6 once",
    "another head has been submitted. export writes a run into files, which an audit then proves. A token that fetches",
    "from $OODA_FETCH_HOST (default github.com) comes by $OODA_FETCH_TOKEN.",
    "",
    "Exits 0, 6 when it could not, 64 on misuse; wait also as a step does. docs/fleet.md tells how to set it up."
  ],
  examples: [
    { command: "ooda-codex-review fleet init --work /srv/ooda", description: "Set up a fleet." },
    { command: "ooda-codex-review fleet worker --capacity 8", description: "Work for the fleet." },
    { command: "ooda-codex-review fleet status", description: "See where everything stands." },
    {
      command: "ooda-codex-review fleet wait https://github.com/owner/name#7",
      description: "Wait for a pull request that was submitted."
    }
  ]
}))
